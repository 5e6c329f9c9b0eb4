package session

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a script writes is handed on byte for byte, whatever it is, except the events.
func TestOutputPassesUnchanged(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	written := "no end of line?\rover\rwritten\n\n\x00\xff\xfe\x1b[31mred\x1b[0m\n" + long + "\n  indented  \n" +
		"{\"loss\": 0.3}\n{\"loss\":\n{" + long + "\nlast {\n{ and no end"
	events := `{"sweetspot":1,"event":"iteration","seconds":0.5}` + "\n"
	file := filepath.Join(t.TempDir(), "written")
	if err := os.WriteFile(file, []byte(events+written), 0o600); err != nil {
		t.Fatal(err)
	}
	o := shell(openStore(t), "cat "+file)
	var output bytes.Buffer
	o.Output = &output
	u := start(t, o).Wait()
	if u.Err != nil || len(u.Seconds) != 1 {
		t.Fatalf("%d iterations, %v", len(u.Seconds), u.Err)
	}
	if got := output.String(); got != written {
		i := 0
		for i < min(len(got), len(written)) && got[i] == written[i] {
			i++
		}
		t.Errorf("%d bytes, want %d; they differ at %d: %.80q", len(got), len(written), i, got[i:])
	}
}

// A prompt shows before it is answered.
func TestPromptPassesAtOnce(t *testing.T) {
	asked, answer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := shell(openStore(t), `printf 'your name? '; read name; echo "hello $name"; `+
		`echo '{"sweetspot":1,"event":"iteration","seconds":0.5}' >&3`)
	o.Input = asked
	r, w := io.Pipe()
	o.Output = w
	s := start(t, o)
	prompt := make([]byte, len("your name? "))
	got := make(chan error, 1)
	go func() {
		_, err := io.ReadFull(r, prompt)
		got <- err
	}()
	select {
	case err := <-got:
		if err != nil || string(prompt) != "your name? " {
			t.Errorf("prompt %q, %v", prompt, err)
		}
	case <-time.After(20 * time.Second):
		t.Error("no prompt")
	}
	if _, err := answer.WriteString("Ada\n"); err != nil {
		t.Fatal(err)
	}
	rest := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(r)
		rest <- string(all)
	}()
	u := s.Wait()
	_ = w.Close()
	if said := <-rest; u.Err != nil || said != "hello Ada\n" {
		t.Errorf("then %q, %v", said, u.Err)
	}
}
