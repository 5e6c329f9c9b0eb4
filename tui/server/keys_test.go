package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

func TestAuthorisedKeys(t *testing.T) {
	_, line := newKey(t)
	key, _, _, _, err := gossh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		text string
		mode os.FileMode
		says string
	}{
		"a key":         {line, 0o600, ""},
		"a comment":     {"# the team\n\n" + strings.TrimSpace(line) + " alice@laptop\n", 0o644, ""},
		"restrict":      {"restrict,pty " + line, 0o600, ""},
		"rubbish too":   {"rubbish\n" + line, 0o600, ""},
		"empty":         {"", 0o600, "lets nobody in: put the public keys"},
		"comments":      {"# nobody\n", 0o600, "lets nobody in"},
		"a command":     {`command="rank" ` + line, 0o600, `lets nobody in (line 1 limits its key by "command=\"rank\""`},
		"an authority":  {"cert-authority " + line, 0o600, "lets nobody in"},
		"rubbish":       {"\x00\x1b[31m rubbish", 0o600, "line 1 is no public key"},
		"world-written": {line, 0o646, "can be written by others: chmod 644"},
		"group-written": {line, 0o660, "can be written by others: chmod 640"},
		"too large":     {strings.Repeat("#\n", mostKeys), 0o600, "larger than 4 MiB"},
	} {
		path := filepath.Join(t.TempDir(), "authorized_keys")
		write(t, path, of.text, of.mode)
		keys, err := readAuthorised(path)
		switch {
		case of.says == "" && (err != nil || !keys.has(key)):
			t.Errorf("%s: %v", name, err)
		case of.says != "" && (err == nil || !strings.Contains(err.Error(), of.says) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v", name, err)
		}
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "authorized_keys")
	if _, err := readAuthorised(path); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("missing: %v", err)
	}
	if _, err := readAuthorised(folder); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	write(t, path, line, 0o600)
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := readAuthorised(path); err == nil || !strings.Contains(err.Error(), "can be written by others") {
		t.Errorf("in a folder for all: %v", err)
	}
}

// What belongs to somebody else lets nobody in, nor does what lies in a folder of theirs.
func TestKeysOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("only root can give a file to another user")
		}
		t.Skip("only root can give a file to another user")
	}
	_, line := newKey(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "authorized_keys")
	write(t, path, line, 0o600)
	const other = 65534
	for _, theirs := range []string{path, folder} {
		if err := os.Chown(theirs, other, other); err != nil {
			t.Fatal(err)
		}
		if _, err := readAuthorised(path); err == nil || !strings.Contains(err.Error(), theirs+" belongs to another user") {
			t.Errorf("%s: %v", theirs, err)
		}
		if err := os.Chown(theirs, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readAuthorised(path); err != nil {
		t.Error(err)
	}
}

// Its own key is made once, for its owner alone.
func TestHostKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "host_key")
	first, err := hostKey(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := hostKey(path)
	if err != nil || string(again.PublicKey().Marshal()) != string(first.PublicKey().Marshal()) {
		t.Errorf("another key the second time: %v", err)
	}
	for of, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(of); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has %v, %v", of, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".host-key-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := hostKey(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("read by others: %v", err)
	}
	write(t, path, "rubbish", 0o600)
	if _, err := hostKey(path); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("rubbish: %v", err)
	}
}
