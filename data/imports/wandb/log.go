package wandb

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"sweetspot/data/textfile"
)

// A .wandb file is a log of records in blocks of 32 KiB, as LevelDB writes them, after a
// header of seven bytes: ":W&B", a magic number and a version. A record is one chunk, or
// a first, middle ones and a last. A chunk is a CRC-32 of its type and data, the length of
// the data and the type; what remains of a block is less than the seven bytes of these.
const (
	ident       = ":W&B\xe1\xbe\x00"
	blockBytes  = 32 << 10
	chunkBytes  = 7
	maxRecord   = 16 << 20
	whole, from = 1, 2
	middle, to  = 3, 4
)

// errCutOff is the end of a log of a run that goes on or that was killed.
var errCutOff = errors.New("the log is cut off")

// records passes the records of a log on.
func records(file io.Reader, do func([]byte) error) error {
	in := bufio.NewReaderSize(file, blockBytes)
	head := make([]byte, len(ident))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != ident {
		return &textfile.Error{What: "is no log of Weights & Biases that this program can read"}
	}
	at := len(ident) // in the block
	var record []byte
	open := false
	for {
		if left := blockBytes - at; left < chunkBytes {
			if _, err := in.Discard(left); err != nil {
				return end(err, open)
			}
			at = 0
		}
		kind, data, err := chunk(in, blockBytes-at)
		if err != nil {
			return end(err, open)
		}
		if kind == 0 && len(data) == 0 { // room that was never written to
			return nil
		}
		at += chunkBytes + len(data)
		if starts := kind == whole || kind == from; starts == open {
			return &textfile.Error{What: "holds a record that does not begin or end; is the file damaged?"}
		} else if starts {
			record = record[:0]
		}
		if record = append(record, data...); len(record) > maxRecord {
			return &textfile.Error{What: "holds a record of more than 16 MiB; is the file damaged?"}
		}
		if open = kind == from || kind == middle; open {
			continue
		}
		if err := do(record); err != nil {
			return err
		}
	}
}

// end is how a log ends: well, or in the middle of something.
func end(err error, open bool) error {
	switch {
	case errors.Is(err, io.EOF) && !open:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errCutOff
	}
	return err
}

// chunk reads a chunk, for which there is so much room in the block.
func chunk(in io.Reader, room int) (kind byte, data []byte, err error) {
	var head [chunkBytes]byte
	if _, err = io.ReadFull(in, head[:]); err != nil {
		return 0, nil, err
	}
	size := int(binary.LittleEndian.Uint16(head[4:6]))
	kind = head[6]
	switch {
	case kind == 0 && size == 0:
		return 0, nil, nil
	case kind > to || kind == 0 || size > room-chunkBytes:
		return 0, nil, &textfile.Error{What: "holds a chunk of no known kind or length; is the file damaged?"}
	}
	data = make([]byte, size)
	if _, err = io.ReadFull(in, data); err != nil {
		return 0, nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	sum := crc32.Update(crc32.ChecksumIEEE(head[6:]), crc32.IEEETable, data)
	if sum != binary.LittleEndian.Uint32(head[:4]) {
		return 0, nil, &textfile.Error{What: "does not match its checksums; fetch it again"}
	}
	return kind, data, nil
}
