package tui

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The session of the README is recorded by a script that waits for words on the
// screens. They are words of golden frames, so that rewording a screen shows here
// and not in a script that waits without end.
func TestThePictureWaitsForWordsOfGoldenFrames(t *testing.T) {
	script, err := os.ReadFile("../scripts/picture")
	if err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(string(script), "SESSION = [")
	session, _, _ = strings.Cut(session, "\n]\n")
	waits := regexp.MustCompile(`, "([^"]+)", [\d.]+\),`).FindAllStringSubmatch(session, -1)
	if len(waits) < 9 {
		t.Fatalf("%d words that the script waits for were found in it", len(waits))
	}
	var frames strings.Builder
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".golden" {
			return err
		}
		frame, err := os.ReadFile(path)
		frames.Write(frame)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range waits {
		if !strings.Contains(frames.String(), w[1]) {
			t.Errorf("scripts/picture waits for %q, which no golden frame says: give it words of a frame", w[1])
		}
	}
}
