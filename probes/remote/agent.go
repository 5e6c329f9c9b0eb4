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

// modules are the parts of the agent, each after the ones it imports.
var modules = []string{"frames", "link", "command", "interpreter", "facts", "spool", "agent"}

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
	Task     string   `json:"task"` // run, attach or forget
	Mark     string   `json:"mark"` // the first line of the agent's output
	Files    int      `json:"files"`
	Silence  float64  `json:"silence"` // time without a heartbeat after which the connection is lost
	Spool    string   `json:"spool"`   // of a detached probe
	Argv     []string `json:"argv"`
	Env      []string `json:"env"`
	Dir      string   `json:"dir"`
	Python   string   `json:"python"`
	Grace    float64  `json:"grace"`
	Limit    float64  `json:"limit"` // 0 for none
	Metadata bool     `json:"metadata"`
	Memo     string   `json:"memo"` // a string, so that it comes back unchanged
}

// preamble returns everything that is sent before the first frame: the agent,
// the header and the command's files as a zip archive.
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

// plainWord reports whether every shell takes the word literally.
func plainWord(s string) bool {
	return s != "" && s[0] != '-' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == ""
}
