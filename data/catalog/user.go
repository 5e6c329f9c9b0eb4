package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Files are the user's two catalogs: the imported one, which only imports
// write, and the user's own, which is never written to.
type Files struct{ Imported, Own string }

// FilesIn returns the files of a folder, which need not exist.
func FilesIn(folder string) Files {
	return Files{Imported: filepath.Join(folder, "catalog.csv"), Own: filepath.Join(folder, "catalog-own.csv")}
}

// Joined is the catalog that all commands use: the user's own, then the
// imported, then the built-in one.
func (f Files) Joined() ([]profile.VMType, error) {
	own, err := ReadFile(f.Own)
	if err != nil {
		return nil, err
	}
	imported, err := ReadFile(f.Imported)
	if err != nil {
		return nil, err
	}
	return Join(own, imported, Market()), nil
}

// ReadFile reads a catalog CSV; a missing file is empty.
func ReadFile(path string) ([]profile.VMType, error) {
	file, err := textfile.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the catalog cannot be read: %w", err)
	}
	defer file.Close()
	vms, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s, %w; correct the file or move it away", plaintext.Clean(path), err)
	}
	return vms, nil
}

// Keep adds an import to the earlier ones, if these can be read. The file is
// replaced atomically.
func (f Files) Keep(imported []profile.VMType) error {
	earlier, err := ReadFile(f.Imported)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := Write(&text, Update(earlier, imported)); err != nil {
		return err
	}
	if _, err := Read(bytes.NewReader(text.Bytes())); err != nil {
		return fmt.Errorf("the catalog was not changed, because the result would be invalid: %w", err)
	}
	return replace(f.Imported, text.Bytes())
}

func replace(path string, text []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("the catalog was not changed: %w", err)
	}
	return os.Rename(file.Name(), path)
}
