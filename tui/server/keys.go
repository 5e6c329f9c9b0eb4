package server

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// authorised are the keys that may log in, and what the server says of others.
type authorised struct {
	keys    []ssh.PublicKey
	skipped []string // lines that let nobody in, each with why
}

// has reports whether a key is one of them. A certificate never is: who signed it, and for
// how long, is not checked here.
func (a *authorised) has(key ssh.PublicKey) bool {
	if _, signed := key.(*gossh.Certificate); signed {
		return false
	}
	return slices.ContainsFunc(a.keys, func(k ssh.PublicKey) bool { return ssh.KeysEqual(k, key) })
}

// most that is read of an authorized_keys file, in bytes.
const mostKeys = 4 << 20

// readAuthorised reads a file in the format of sshd's authorized_keys. It must be the
// server's own, for nobody else to write.
func readAuthorised(path string) (*authorised, error) {
	file, err := textfile.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: put the public keys of those who may log in there, one per line, or "+
			"name another file with --authorized-keys", plaintext.Clean(path))
	}
	if err != nil {
		return nil, fmt.Errorf("the keys of those who may log in cannot be read: %w", err)
	}
	defer file.Close()
	if err := private(file, 0o022, "written"); err != nil {
		return nil, err
	}
	folder, err := os.Stat(filepath.Dir(path)) // whoever writes there puts another file in its place
	if err != nil {
		return nil, err
	}
	name := plaintext.Clean(filepath.Dir(path))
	if mode := folder.Mode(); mode&0o022 != 0 && mode&fs.ModeSticky == 0 {
		return nil, fmt.Errorf("%s can be written by others, and so the keys in it: chmod go-w %s first", name, name)
	}
	if !own(folder) {
		return nil, fmt.Errorf("%s belongs to another user, and so the keys in it: keep them in a folder of your own", name)
	}
	data, err := io.ReadAll(io.LimitReader(file, mostKeys+1))
	if err != nil {
		return nil, fmt.Errorf("the keys of those who may log in cannot be read: %w", err)
	}
	if len(data) > mostKeys {
		return nil, fmt.Errorf("%s is larger than 4 MiB: name a file of public keys", plaintext.Clean(path))
	}
	out := parseAuthorised(string(data))
	if len(out.keys) == 0 {
		why := ""
		if len(out.skipped) > 0 {
			why = " (" + out.skipped[0] + ")"
		}
		return nil, fmt.Errorf("%s lets nobody in%s: put the public keys of those who may log in there, one per line",
			plaintext.Clean(path), why)
	}
	return out, nil
}

// parseAuthorised reads lines of keys. A key with options is limited to something that is
// done elsewhere, such as a command, and lets nobody in here; but for "restrict" and what it
// stands for, which this server forbids everyone anyhow.
func parseAuthorised(text string) *authorised {
	out := &authorised{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
		_, signed := key.(*gossh.Certificate)
		k := slices.IndexFunc(options, func(o string) bool { return !slices.Contains(harmless, strings.ToLower(o)) })
		switch {
		case err != nil:
			out.skipped = append(out.skipped, fmt.Sprintf("line %d is no public key", n))
		case signed:
			out.skipped = append(out.skipped, fmt.Sprintf("line %d is a certificate, not a key", n))
		case k >= 0:
			out.skipped = append(out.skipped, fmt.Sprintf("line %d limits its key by %s, which sweetspot does not know",
				n, plaintext.Quote(options[k])))
		default:
			out.keys = append(out.keys, key)
		}
	}
	return out
}

// harmless are the options that allow no more and no less than this server does.
var harmless = []string{"restrict", "pty", "no-agent-forwarding", "no-port-forwarding", "no-x11-forwarding",
	"no-user-rc"}

// private checks that a file belongs to this user, or root, and that others have not the
// permissions of a mask, which would have it read or written by them.
func private(file *os.File, mask fs.FileMode, done string) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	name := plaintext.Clean(file.Name())
	if mode := info.Mode().Perm(); mode&mask != 0 {
		return fmt.Errorf("%s can be %s by others: chmod %o %s first", name, done, mode&^mask&^0o111, name)
	}
	if !own(info) {
		return fmt.Errorf("%s belongs to another user: give a file of your own", name)
	}
	return nil
}

// own reports whether a file or folder is this user's or root's.
func own(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && (of.Uid == 0 || int(of.Uid) == os.Geteuid())
}

// hostKey reads the key by which clients know the server again, and makes it the first time.
func hostKey(path string) (ssh.Signer, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeHostKey(path); err != nil {
			return nil, fmt.Errorf("the server's own key cannot be made: %w", err)
		}
	}
	file, err := textfile.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("the server's own key cannot be read: %w", err)
	}
	defer file.Close()
	if err := private(file, 0o077, "read"); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, mostKeys))
	if err != nil {
		return nil, fmt.Errorf("the server's own key cannot be read: %w", err)
	}
	key, err := gossh.ParsePrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s is no private key without a passphrase: remove it, and a new one is made",
			plaintext.Clean(path))
	}
	return key, nil
}

// makeHostKey writes a new key. Of two servers that start at once one makes it and both
// read it.
func makeHostKey(path string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := gossh.MarshalPrivateKey(key, "sweetspot serve")
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(folder, ".host-key-*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(pem.EncodeToMemory(block))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
