package remote

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

//go:embed python/*.py
var sources embed.FS

// modules are the parts of the agent, each after those it imports.
var modules = []string{"frames", "link", "command", "interpreter", "facts", "spool", "agent"}

// bootstrap is what the remote shell is asked to run. It holds nothing that any
// shell would take apart, and nothing that the user wrote but for the
// interpreter, whose characters are checked: it reads the agent's length and
// the agent, and runs it.
const bootstrap = `%s -c 'import sys;i=sys.stdin.buffer;exec(i.read(int(i.readline())))'`

// agent is the Python program that is sent: it makes the modules from their
// texts and begins.
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

// pythonText writes s as a Python string literal: one of JSON is one.
func pythonText(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(quoted)
}

// header is what the agent is told, one line of JSON. Times are in seconds.
type header struct {
	Task     string   `json:"task"` // run, attach or forget
	Mark     string   `json:"mark"` // what the agent's output begins with
	Files    int      `json:"files"`
	Silence  float64  `json:"silence"` // without a sign of life the connection is lost
	Spool    string   `json:"spool"`   // of a detached probe
	Argv     []string `json:"argv"`
	Env      []string `json:"env"`
	Dir      string   `json:"dir"`
	Python   string   `json:"python"`
	Grace    float64  `json:"grace"`
	Limit    float64  `json:"limit"` // 0 for none
	Metadata bool     `json:"metadata"`
	Memo     string   `json:"memo"` // text, so that it comes back as it was
}

// preamble is everything that is sent before the first frame: the agent, the
// header and the command's files as a zip archive.
func preamble(h header, files fs.FS) ([]byte, error) {
	archive, err := zipped(files)
	if err != nil {
		return nil, err
	}
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

// plainWord reports whether any shell takes the word as it is.
func plainWord(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == ""
}
