// Package textfile reads text from outside: compressed with gzip or not, with
// or without a byte order mark, and as CSV rows of bounded length.
package textfile

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"

	"sweetspot/engine/plaintext"
)

// buffered is how many bytes can be peeked at.
const buffered = 64 << 10

// ErrDamaged means that a compressed file ends early or was changed.
var ErrDamaged = errors.New("the compressed file is cut off or damaged here; fetch it again")

// Open returns the text of a file without compression and byte order mark.
func Open(r io.Reader) (*bufio.Reader, error) {
	file := bufio.NewReaderSize(r, buffered)
	if magic, _ := file.Peek(2); string(magic) != "\x1f\x8b" {
		return bufio.NewReaderSize(plaintext.Unmarked(file), buffered), nil
	}
	zip, err := gzip.NewReader(file)
	if err != nil {
		return nil, damage(err)
	}
	return bufio.NewReaderSize(plaintext.Unmarked(unzipped{zip}), buffered), nil
}

type unzipped struct{ zip *gzip.Reader }

func (u unzipped) Read(p []byte) (int, error) {
	n, err := u.zip.Read(p)
	return n, damage(err)
}

// damage distinguishes a damaged file from one that can't be read, and its
// early end from that of the decompressed text.
func damage(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.As(err, &corrupt) {
		return ErrDamaged
	}
	return err
}
