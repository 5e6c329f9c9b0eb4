package remote

import (
	"archive/zip"
	"bufio"
	"bytes"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"
)

//go:embed python/*.py
var sources embed.FS

// modules are the parts of the agent, each after the ones it imports.
var modules = []string{"frames", "link", "command", "interpreter", "facts", "load", "spool", "job", "host", "agent"}

// bootstrap is the command for the remote shell: it reads the agent's length
// and the agent, and runs it. It contains nothing that a shell would expand,
// and no user input except the interpreter, whose characters are checked.
const bootstrap = `%s -c 'import sys;i=sys.stdin.buffer;exec(i.read(int(i.readline())))'`

// agent is the Python program that is sent: it creates the modules from their
// texts and starts.
var agent = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	out.WriteString("import sys, types\nfor name, text in (\n")
	for _, name := range modules {
		text, err := sources.ReadFile("python/" + name + ".py")
		if err != nil {
			panic(err) // it is embedded
		}
		fmt.Fprintf(&out, "    (%q, %s),\n", name, pythonText(string(text)))
	}
	out.WriteString("):\n    module = sys.modules[name] = types.ModuleType(name)\n" +
		"    exec(compile(text, name + '.py', 'exec'), module.__dict__)\nsys.modules['agent'].main()\n")
	return out.Bytes()
})

// pythonText writes s as a Python string literal, which every JSON string is.
func pythonText(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(quoted)
}

// header tells the agent what to do, as one line of JSON. Times are in seconds.
type header struct {
	Task     string   `json:"task"` // what to do
	Mark     string   `json:"mark"` // the first line of the agent's output
	Files    int      `json:"files"`
	Silence  float64  `json:"silence"` // time without a heartbeat after which the connection is lost
	Spool    string   `json:"spool"`   // of a probe of a job
	Argv     []string `json:"argv"`
	Env      []string `json:"env"`
	Dir      string   `json:"dir"`
	Python   string   `json:"python"`
	Grace    float64  `json:"grace"`
	Limit    float64  `json:"limit"` // 0 for none
	Metadata bool     `json:"metadata"`
	Load     float64  `json:"load"` // interval between readings; 0 for none
	// Of a job of a scheduler and who follows it:
	Root   string   `json:"root"`  // folder of the spools, on a file system that its hosts share
	Job    string   `json:"job"`   // name of the job, with which those of its spools begin
	Quiet  float64  `json:"quiet"` // time without a heartbeat after which a job that does not run is over
	Probes []queued `json:"probes,omitempty"`
	Names  []string `json:"names,omitempty"` // of jobs
}

// queued is a probe of a job. What it lacks is in the header.
type queued struct {
	Spool string   `json:"spool"` // without the attempt
	Files [2]int   `json:"files"` // from where to where in the archives
	Argv  []string `json:"argv"`
	Env   []string `json:"env"`
	Dir   string   `json:"dir"`
	Limit float64  `json:"limit"`
}

// preamble returns everything that is sent before the first frame: the agent,
// the header and files in zip archives.
func preamble(h header, archive []byte) ([]byte, error) {
	h.Files = len(archive)
	if h.Argv == nil {
		h.Argv = []string{}
	}
	if h.Env == nil {
		h.Env = []string{}
	}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d\n%s%s\n%s", len(agent()), agent(), line, archive)
	return out.Bytes(), nil
}

func zipped(files fs.FS) ([]byte, error) {
	if files == nil {
		return nil, nil
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := errors.Join(w.AddFS(files), w.Close()); err != nil {
		return nil, fmt.Errorf("the files of the probe can't be packed: %w", err)
	}
	return out.Bytes(), nil
}

// plainWord reports whether every shell takes the word literally.
func plainWord(s string) bool {
	return s != "" && s[0] != '-' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == ""
}

// The kinds of frames, as in python/frames.py.
const (
	kindEvents = 'e'
	kindStdout = 'o'
	kindStderr = 'r'
	kindNote   = 'n'
	kindExit   = 'x'
	kindStop   = 's'
	kindAlive  = 'a'
	kindGone   = 'g'
)

const (
	headBytes = 13
	maxFrame  = 4 << 20  // the agent's are shorter
	maxBanner = 1 << 20  // bytes that a login shell may print before the agent speaks
	shownLine = 200      // runes of such a line in a message
	keptText  = 16 << 10 // bytes of it that are kept
)

// frame is one piece of a stream. at is the time since the command began.
type frame struct {
	kind    byte
	at      time.Duration
	payload []byte
}

func (f frame) bytes() []byte {
	out := make([]byte, headBytes, headBytes+len(f.payload))
	out[0] = f.kind
	binary.BigEndian.PutUint32(out[1:], uint32(len(f.payload))) //nolint:gosec // below maxFrame
	binary.BigEndian.PutUint64(out[5:], uint64(f.at.Microseconds()))
	return append(out, f.payload...)
}

// readFrame reads the next frame. The error is io.EOF only between frames.
func readFrame(r io.Reader) (frame, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	size, micros := binary.BigEndian.Uint32(head[1:]), binary.BigEndian.Uint64(head[5:])
	const longest = uint64(1<<63-1) / uint64(time.Microsecond)
	if size > maxFrame || micros > longest {
		return frame{}, errors.New("the data received is not a frame of the agent")
	}
	f := frame{kind: head[0], at: time.Duration(micros) * time.Microsecond,
		payload: make([]byte, size)} //nolint:gosec // checked
	_, err := io.ReadFull(r, f.payload)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return f, err
}

// skipBanner reads up to the mark's line. What a login shell prints before it
// is ignored, except that its last line may say why no mark came.
func skipBanner(r *bufio.Reader, mark string) (last string, err error) {
	for read := 0; read < maxBanner; {
		line, err := r.ReadSlice('\n')
		read += len(line)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if string(bytes.TrimRight(line, "\r\n")) == mark {
			return "", nil
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			last = string(text)
		}
		if err != nil {
			return last, err
		}
	}
	return last, fmt.Errorf("it prints more than 1 MiB at login")
}
