package tensorboard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// maxRecordBytes bounds one record; pictures and graphs are the largest.
const maxRecordBytes = 256 << 20

var (
	errCutOff  = errors.New("the last record is cut off")
	errDamaged = errors.New("a checksum is wrong; the file is damaged, or it holds no TensorBoard events")
	errTooLong = errors.New("a record is longer than 256 MiB, which no event is")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of TFRecord: CRC-32C, rotated and shifted.
func masked(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// records calls do with every record: a length, its checksum, the data, its
// checksum. What do gets is gone after it.
func records(r io.Reader, do func(data []byte) error) error {
	var head [12]byte
	var buffer []byte
	for {
		switch _, err := io.ReadFull(r, head[:]); {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errCutOff
		case err != nil:
			return err
		}
		if masked(head[:8]) != binary.LittleEndian.Uint32(head[8:]) {
			return errDamaged
		}
		n := binary.LittleEndian.Uint64(head[:8])
		if n > maxRecordBytes {
			return errTooLong
		}
		var err error
		if buffer, err = fill(r, buffer, int(n)+4); err != nil {
			return err
		}
		if masked(buffer[:n]) != binary.LittleEndian.Uint32(buffer[n:]) {
			return errDamaged
		}
		if err := do(buffer[:n]); err != nil {
			return err
		}
	}
}

// fill reads n bytes, in steps, so that a length alone claims no memory.
func fill(r io.Reader, buffer []byte, n int) ([]byte, error) {
	const step = 1 << 20
	buffer = buffer[:0]
	for len(buffer) < n {
		more := min(step, n-len(buffer))
		from := len(buffer)
		if cap(buffer) < from+more {
			buffer = append(buffer, make([]byte, more)...)
		} else {
			buffer = buffer[:from+more]
		}
		if _, err := io.ReadFull(r, buffer[from:]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return buffer, errCutOff
			}
			return buffer, err
		}
	}
	return buffer, nil
}
