package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/workspace"
	"sweetspot/engine/question"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/theme"
)

var wanders = flag.Int("wanders", 2, "seeds with which random keys drive the screens")

// stubborn is a training that reports its steps and ends for no signal but the last.
const stubborn = `trap "" INT TERM
echo $$ >> pids
echo '{"sweetspot":1,"event":"model","t":0,"name":"stubborn","unit":"image","batch_size":32}' >&3
i=0
while :; do
	i=$((i+1))
	echo '{"sweetspot":1,"event":"iteration","t":'$i',"index":'$i',"seconds":0.01'$((i%7))',"units":32}' >&3
	sleep 0.01
done`

// Random keys, clicks and pastes lead anywhere, also into probes of a process that
// won't end; ctrl-c then leads out, nothing runs on, and the database opens again.
func TestRandomKeysAndTheWayOut(t *testing.T) {
	for seed := range *wanders {
		t.Run(strconv.Itoa(seed), func(t *testing.T) { wander(t, uint64(seed)) })
	}
}

func wander(t *testing.T, seed uint64) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // what is exported goes there
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, dir)
	}
	db := filepath.Join(dir, "own.db")
	w, err := workspace.OpenFor(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := theme.SymbolSet("braille")
	if err != nil {
		t.Fatal(err)
	}
	keysIn, keysOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan error, 1)
	go func() {
		_, err := Run(context.Background(), Options{Workspace: w, Symbols: symbols, Traces: madeUp, Loads: madeUpLoad,
			Probe: probing(dir), Open: func(context.Context, string) (screen.Workspace, error) {
				return nil, errors.New("another database stays closed")
			}}, tea.WithInput(keysIn), tea.WithOutput(io.Discard), tea.WithWindowSize(120, 40))
		left <- err
	}()
	random := rand.New(rand.NewPCG(seed, 1))
	for n := range 500 {
		if n == 100 && seed%2 == 0 { // from here on with a probe
			_, _ = keysOut.WriteString("\x1b\x1b2G\r")
			continue
		}
		_, _ = keysOut.WriteString(anyInput(random))
		time.Sleep(time.Duration(random.IntN(4)) * time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond) // so that an escape before is none of alt
	_, _ = keysOut.WriteString("\x03")
	select {
	case err := <-left:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(2 * time.Minute): // all inputs before it are drawn first, on a slow machine too
		t.Fatal("ctrl-c does not lead out")
	}
	_ = keysOut.Close()
	over(t, filepath.Join(dir, "pids"))
	again, err := workspace.OpenFor(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Load(t.Context()); err != nil {
		t.Error(err)
	}
	_ = again.Close()
}

// probing starts stubborn trainings, several where a form asks for several.
func probing(dir string) probe.Prober {
	return func(ctx context.Context, ws screen.Workspace, f probe.Form, _ question.Query) (probe.Probe, error) {
		db, err := ws.(*workspace.Workspace).Writable(ctx)
		if err != nil {
			return nil, err
		}
		return matrix.Start(ctx, matrix.Options{Cells: make([]matrix.Cell, 1+len(f.Batches)%3),
			Probe: func(context.Context, matrix.Cell) (session.Options, error) {
				return session.Options{Store: db, Rule: f.Rule(), KeepRunning: true, Dir: dir,
					Command: []string{"/bin/sh", "-c", stubborn}}, nil
			}})
	}
}

// anyInput is what a terminal sends for some key, click, turn of the wheel or paste;
// none that quits.
func anyInput(random *rand.Rand) string {
	special := map[string]string{"left": "\x1b[D", "right": "\x1b[C", "up": "\x1b[A", "down": "\x1b[B", "enter": "\r",
		"tab": "\t", "shift+tab": "\x1b[Z", "esc": "\x1b", "space": " ", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
		"shift+left": "\x1b[1;2D", "shift+right": "\x1b[1;2C", "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B"}
	switch random.IntN(12) {
	case 0:
		return fmt.Sprintf("\x1b[<%d;%d;%dM", []int{0, 32, 35, 64, 65}[random.IntN(5)], 1+random.IntN(120),
			1+random.IntN(40))
	case 1:
		return fmt.Sprintf("\x1b[<0;%d;%dm", 1+random.IntN(120), 1+random.IntN(40))
	case 2:
		pasted := []string{"0.5", "70%", "e\u0301 \x1b[31m数", strings.Repeat("9", 50)}
		return "\x1b[200~" + pasted[random.IntN(len(pasted))] + "\x1b[201~"
	case 3:
		return string(rune('0' + random.IntN(10)))
	}
	all := keys.Default().Bindings()
	switch b := all[random.IntN(len(all))]; {
	case b.Action == keys.Quit || b.Action == keys.Interrupt:
		return "\x7f"
	case special[b.Keys[0]] != "":
		return special[b.Keys[0]]
	default:
		return b.Keys[0]
	}
}

// over fails while a process whose number a file holds goes on.
func over(t *testing.T, path string) {
	t.Helper()
	numbers, err := os.ReadFile(path)
	if err != nil {
		return // none was started
	}
	for _, number := range strings.Fields(string(numbers)) {
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(wayOut); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("process %d goes on", pid)
			}
		}
	}
}
