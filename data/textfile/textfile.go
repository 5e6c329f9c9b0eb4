// Package textfile opens files and reads text from outside: compressed with gzip or not, with
// or without a byte order mark, as tables of bounded rows and as JSON of bounded
// items.
package textfile

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"sweetspot/engine/plaintext"
)

// buffered is how many bytes can be peeked at.
const buffered = 64 << 10

// ErrDamaged means that a compressed file ends early or was changed.
var ErrDamaged = errors.New("the compressed file is cut off or damaged here; fetch it again")

// ErrNotRegular is why a pipe, a socket or a device is not opened: reading it may
// wait for ever, whatever signal comes.
var (
	ErrNotRegular = errors.New("it is a pipe or a device; save what it gives to a file and name that")
	errFolder     = errors.New("it is a folder; name a file in it")
)

// OpenFile opens a regular file for reading, the only kind that is read. Its errors
// are of type [*fs.PathError].
func OpenFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // returns at once, of a pipe too
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err == nil && info.Mode().IsRegular():
		return file, nil
	case err == nil && info.IsDir():
		err = &fs.PathError{Op: "open", Path: path, Err: errFolder}
	case err == nil:
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	_ = file.Close()
	return nil, err
}

// Cause is what the system says of a file, without the paths, which callers clean.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Unreadable is the cause why a file that a user named cannot be read, with the mend.
func Unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; check the path and its permissions", Cause(err))
	}
	return Cause(err)
}

// ReadFile is the content of a regular file.
func ReadFile(path string) ([]byte, error) {
	file, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// Open returns the text of a file without compression and byte order mark.
func Open(r io.Reader) *bufio.Reader {
	file := bufio.NewReaderSize(r, buffered)
	if magic, _ := file.Peek(2); string(magic) != "\x1f\x8b" {
		return bufio.NewReaderSize(plaintext.Unmarked(file), buffered)
	}
	return bufio.NewReaderSize(plaintext.Unmarked(&unzipped{file: file}), buffered)
}

// unzipped decompresses a file whose first bytes say that it is compressed.
type unzipped struct {
	file io.Reader
	zip  *gzip.Reader
	err  error
}

func (u *unzipped) Read(p []byte) (n int, err error) {
	if u.zip == nil && u.err == nil {
		u.zip, u.err = gzip.NewReader(u.file)
	}
	if u.err == nil {
		n, u.err = u.zip.Read(p)
	}
	return n, damage(u.err)
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
