// Package doctor checks what sweetspot needs on this machine: what is there,
// what is missing, and how to install it.
package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sweetspot/data/shellwords"
	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/probes/gpu"
	"sweetspot/probes/python"
	"sweetspot/probes/remote"
	"sweetspot/probes/rental"
	"sweetspot/probes/sky"
)

// Check is the result of one check. If it is not ok, Mend says what to do;
// otherwise Mend is optional.
type Check struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Mend  string `json:"mend"`
	// Broken means that sweetspot cannot work at all. A missing GPU or
	// framework only limits what it can measure here.
	Broken bool `json:"broken"`
	// Warning is a sentence for standard error and the list of warnings; "" for
	// none.
	Warning string `json:"-"`
}

// MarshalJSON writes an empty mend as null.
func (c Check) MarshalJSON() ([]byte, error) {
	type plain Check
	out := struct {
		plain
		Mend *string `json:"mend"`
	}{plain: plain(c)}
	if c.Mend != "" {
		out.Mend = &c.Mend
	}
	return json.Marshal(out)
}

// Terminal is what the caller knows about its terminal.
type Terminal struct {
	Is            bool // whether standard output is one
	Width, Height int
	Term          string // $TERM
	Colour        string // in words
}

// Examine runs all checks. An empty database path means the default one; an
// empty interpreter means a search.
func Examine(ctx context.Context, t Terminal, database, interpreter string) []Check {
	torch, path := framework(ctx, interpreter)
	return []Check{terminal(t), profiles(ctx, database), graphics(ctx), torch, onnx(ctx, path), secureShell(ctx),
		dataset(datasetDir), rentals(), clusters()}
}

// rentals names VMs that a killed rental may have left running.
func rentals() Check {
	c := Check{Name: "rented VMs", OK: true, Found: "none is known to be left running"}
	left, err := rental.Leftovers()
	if err != nil {
		c.OK, c.Found, c.Mend = false, err.Error(), "set XDG_STATE_HOME to a folder of your own"
		return c
	}
	if len(left) > 0 {
		c.OK = false
		c.Found = plaintext.Join(left, "; ", rental.Leftover.String)
		c.Mend = plaintext.Join(left, "; ", func(l rental.Leftover) string { return l.End })
	}
	return c
}

// clusters names clusters that SkyPilot was told to begin and that may still cost money.
func clusters() Check {
	c := Check{Name: "SkyPilot clusters", OK: true, Found: "none is known to be left running"}
	left, err := sky.Leftovers()
	if err != nil {
		c.OK, c.Found, c.Mend = false, err.Error(), "set XDG_STATE_HOME to a folder of your own"
		return c
	}
	if len(left) > 0 {
		c.OK = false
		c.Found = plaintext.Join(left, "; ", sky.Leftover.String)
		c.Mend = plaintext.Join(left, "; ", sky.Leftover.End)
	}
	return c
}

func terminal(t Terminal) Check {
	c := Check{Name: "terminal", OK: true}
	if !t.Is {
		c.Found = "standard output is not a terminal: tables and JSON are printed instead of screens"
		return c
	}
	c.Found = fmt.Sprintf("%s, %d×%d, %s", cmp.Or(plaintext.Clean(t.Term), "TERM is not set"), t.Width, t.Height, t.Colour)
	switch {
	case t.Term == "" || t.Term == "dumb":
		c.OK, c.Mend = false, "set TERM to your terminal's type, such as xterm-256color"
	case t.Width < 40 || t.Height < 10:
		c.OK, c.Mend = false, "make the window at least 40×10; 120×40 shows everything at once"
	case t.Width < 120 || t.Height < 30:
		c.Mend = "120×40 or more shows everything at once"
	}
	return c
}

func profiles(ctx context.Context, path string) Check {
	c := Check{Name: "database"}
	named := path != ""
	path, err := store.Named(path)
	if err != nil {
		c.Broken = true
		c.Found, c.Mend = split(err)
		return c
	}
	shown := plaintext.Clean(path)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if named {
			c.Broken = true
			c.Found, c.Mend = shown+" does not exist", "check the path, or create it with sweetspot probe --db"
			return c
		}
		c.OK, c.Found = true, shown+" does not exist yet; the first probe creates it"
		return c
	}
	private := []string{path, path + "-wal", path + "-shm"}
	if !named {
		private = append(private, filepath.Dir(path))
	}
	open := openToOthers(private) // before opening it makes files for a moment
	s, err := store.OpenExisting(ctx, path)
	if err != nil {
		c.Broken = true
		c.Found, c.Mend = split(err)
		return c
	}
	defer func() {
		_ = s.Close() // only read
	}()
	set, err := s.Load(ctx)
	if err != nil {
		c.Broken = true
		c.Found, c.Mend = split(err)
		return c
	}
	c.OK = true
	size := "unknown size"
	if info != nil {
		size = quantity.Count(float64((info.Size()+1023)/1024)) + " KiB"
	}
	c.Found = fmt.Sprintf("%s, %s, %s, %s", shown, size, quantity.Several(len(set.Models), "model"),
		quantity.Several(len(set.Runs), "run"))
	if s.Share() != "" {
		c.Found += ", exchanged over " + plaintext.Clean(s.Share()) + ", which is on a network disk"
	}
	if len(s.Warnings()) > 0 {
		c.Found += "; " + strings.Join(s.Warnings(), "; ")
	}
	if len(open) > 0 {
		c.Found += ", open to other users"
		c.Mend = "keep your command lines and prices to yourself: chmod go= " + strings.Join(open, " ")
	}
	return c
}

// openToOthers are the files that other users may read or write, as words of a
// shell. Earlier versions left that to the umask.
func openToOthers(paths []string) (words []string) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			words = append(words, shellwords.Word(plaintext.Clean(path)))
		}
	}
	return words
}

// split separates the mend from a sentence of the form "what is wrong; the mend".
func split(err error) (found, mend string) {
	found, mend, ok := strings.Cut(err.Error(), "; ")
	if !ok {
		mend = "choose another database with --db"
	}
	return found, mend
}

func graphics(ctx context.Context) Check {
	c := Check{Name: "GPU"}
	devices, driver, err := gpu.Devices()
	if errors.Is(err, gpu.ErrNone) {
		driver = "read by amd-smi"
		devices, err = gpu.AMD(ctx)
	} else {
		driver = "driver " + driver
	}
	switch {
	case errors.Is(err, gpu.ErrNone):
		// Not a fault: the library covers GPUs that are not here.
		c.Found = "no NVIDIA or AMD GPU on this machine: probes run on the CPU"
		c.Mend = "to measure a GPU, run sweetspot on a machine that has one and its driver"
	case err != nil:
		c.Found, c.Mend = split(err)
	default:
		c.OK = true
		c.Found = plaintext.Join(devices, ", ", func(d gpu.Device) string {
			return fmt.Sprintf("%s (%.0f GiB)", d.Name, d.MemoryBytes/(1<<30))
		}) + ", " + driver
	}
	return c
}

// framework also returns the path of the interpreter; "" for none.
func framework(ctx context.Context, interpreter string) (c Check, path string) {
	c = Check{Name: "Python"}
	found, err := python.Find(ctx, interpreter)
	if missing, ok := errors.AsType[*python.NotFoundError](err); ok {
		c.Found = "no Python imports PyTorch: tried " + missing.Words()
		c.Mend = "apt install python3-torch, or pip install torch, or name an interpreter with --python or " + python.Variable
		return c, ""
	}
	if err != nil {
		c.Found, c.Mend = plaintext.Clean(err.Error()), "run sweetspot doctor again"
		return c, ""
	}
	c.OK = true
	if c.Warning = found.Skipped; c.Warning != "" {
		c.Mend = "unset " + python.Variable + ", or set it to an interpreter that imports PyTorch"
	}
	cuda := "CPU build"
	if found.CUDA != "" {
		cuda = "CUDA " + found.CUDA + ", no GPU usable"
	}
	if found.GPU {
		cuda = "CUDA " + found.CUDA + ", GPU usable"
	}
	c.Found = fmt.Sprintf("%s, Python %s, PyTorch %s (%s)", plaintext.Clean(found.Path), found.Python, found.Torch, cuda)
	return c, found.Path
}

const datasetDir = "/usr/share/datasets/fashion-mnist"

func dataset(dir string) Check {
	c := Check{Name: "Fashion-MNIST"}
	for _, file := range []string{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
		"t10k-labels-idx1-ubyte.gz"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			c.Found = "not in " + dir + ": probes of the example use synthetic input and report no accuracy"
			c.Mend = "apt install dataset-fashion-mnist"
			return c
		}
	}
	c.OK, c.Found = true, dir
	return c
}

// onnx checks whether the interpreter at path, the one that probes use, can run
// .onnx files; path is "" if there is none.
func onnx(ctx context.Context, path string) Check {
	c := Check{Name: "onnxruntime"}
	if path == "" {
		c.Found = "not checked: it belongs in the Python that has PyTorch"
		c.Mend = "install PyTorch first; only .onnx files need onnxruntime"
		return c
	}
	found, err := python.FindONNXRuntime(ctx, path)
	switch {
	case errors.Is(err, python.ErrNoONNXRuntime):
		c.Found = plaintext.Clean(path) + " does not have it: .onnx files can be read but not run"
		c.Mend = "pip install onnxruntime, or onnxruntime-gpu for a GPU, for that Python; nothing else needs it"
	case err != nil:
		c.Found = plaintext.Clean(path) + " cannot import it: " + plaintext.Clean(err.Error())
		c.Mend = "reinstall it for that Python: pip install onnxruntime, or onnxruntime-gpu for a GPU"
	default:
		c.OK, c.Found = true, found.Version+" (CPU build)"
		if found.GPU {
			c.Found = found.Version + " (CUDA build)"
		}
	}
	return c
}

// secureShell checks for the ssh that --host uses.
func secureShell(ctx context.Context) Check {
	c := Check{Name: "ssh"}
	words := remote.Command()
	path, err := exec.LookPath(words[0])
	if err != nil {
		c.Found = "there is no program " + plaintext.Line(words[0], 200) + ": probes on other machines (--host) need it"
		c.Mend = "apt install openssh-client, or name the program in " + remote.SSHVariable
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append(words[1:], "-V")...)
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput() // OpenSSH says it on standard error
	first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	version := plaintext.Line(first, 120)
	if err != nil || version == "" {
		c.Found = plaintext.Clean(path) + " does not show its version: " + cmp.Or(version, "it printed nothing")
		c.Mend = "apt install openssh-client, or name another in " + remote.SSHVariable
		return c
	}
	c.OK, c.Found = true, version+", "+plaintext.Clean(path)
	return c
}
