package remote

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"sweetspot/data/bundle"
	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
	"sweetspot/probes/runner"
)

// Folder is a folder of bundles on another host, which needs only a POSIX shell and tar.
type Folder struct {
	Host Host
	Path string
}

// ParseFolder reads user@host:folder, of scp's form; ok is false where text is a folder of
// this machine: it has no colon, or a slash before it. A relative folder is below the home
// folder there.
func ParseFolder(text string) (f Folder, ok bool, err error) {
	end := strings.IndexByte(text, ':')
	if open := strings.IndexByte(text, '['); open >= 0 && open < end {
		if closed := strings.Index(text, "]:"); closed > 0 {
			end = closed + 1
		}
	}
	if end < 0 || strings.Contains(text[:end], "/") {
		return Folder{}, false, nil
	}
	host, path := text[:end], text[end+1:]
	if path == "" || plaintext.Clean(path) != path {
		return Folder{}, true, fmt.Errorf("%s names no folder; write user@host:folder", plaintext.Quote(text))
	}
	if f.Host, err = Parse(strings.NewReplacer("[", "", "]", "").Replace(host)); err != nil {
		return Folder{}, true, err
	}
	if !strings.HasPrefix(path, "/") {
		path = "./" + strings.TrimPrefix(path, "~/")
	}
	f.Path = path
	return f, true, nil
}

func (f Folder) name() string {
	return f.Host.String() + ":" + plaintext.Cut(plaintext.Clean(f.Path), 300)
}

// listed ends the output of a script, so that what was cut off on the way is noticed.
const listed = "--sweetspot-end--"

// removeStale removes what killed syncs left behind, in the folder itself alone. Another's may not be ours to remove.
const removeStale = "find . ! -name . -prune -name '.part-*' -type f -mtime +1 -exec rm -f {} + 2>/dev/null"

// List names the bundles; of a folder that is not there, none.
func (f Folder) List(ctx context.Context) (names []string, err error) {
	var out limited
	err = f.run(ctx, "if [ -e "+f.quoted()+" ]; then cd "+f.quoted()+" && ls -a && "+
		"{ "+removeStale+" || :; }; fi && echo "+listed, nil, &out)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if lines[len(lines)-1] != listed {
		return nil, fmt.Errorf("%s answers in no way that a folder does; check that ssh %s ls prints its files and nothing "+
			"else", f.name(), f.Host.hint())
	}
	for _, line := range lines {
		if bundle.IsName(line) {
			names = append(names, line)
		}
	}
	return names, bundle.TooMany(f.name(), len(names))
}

// perFetch is how many bundles are fetched at once: a command line has its limits.
const perFetch = 200

// Fetch has tar send bundles, several through each connection.
func (f Folder) Fetch(ctx context.Context, names []string, take func(string, []byte, error) error) error {
	for some := range slices.Chunk(names, perFetch) {
		if err := f.fetch(ctx, some, take); err != nil {
			return err
		}
	}
	return nil
}

func (f Folder) fetch(ctx context.Context, names []string, take func(string, []byte, error) error) error {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = "./" + name // of the form that bundle.IsName checks, so there is nothing to quote
	}
	reader, writer := io.Pipe()
	ran := make(chan error, 1)
	go func() {
		err := f.run(ctx, "cd "+f.quoted()+" && tar cf - "+strings.Join(words, " "), nil, writer)
		_ = writer.CloseWithError(cutOff(err))
		ran <- err
	}()
	taken := map[string]bool{}
	err := untar(reader, names, taken, take)
	_ = reader.CloseWithError(errEnough)
	failed := <-ran
	switch {
	case err != nil && !errors.Is(err, errTransfer):
		return err
	case failed != nil && !errors.Is(failed, errEnough) && len(taken) == 0:
		return failed
	}
	for _, name := range names {
		if !taken[name] {
			if err := take(name, nil, bundle.Unreadable(errors.New("it did not come over"))); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	errEnough   = errors.New("enough was read")
	errTransfer = errors.New("the transfer was cut off")
)

func cutOff(err error) error {
	if err != nil {
		return errTransfer
	}
	return nil
}

// untar takes bundles from an archive, whose other files are passed over.
func untar(r io.Reader, names []string, taken map[string]bool, take func(string, []byte, error) error) error {
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errTransfer
		}
		name := strings.TrimPrefix(header.Name, "./")
		if header.Typeflag != tar.TypeReg || taken[name] || !slices.Contains(names, name) {
			continue
		}
		taken[name] = true
		if header.Size > bundle.MaxBytes {
			err = take(name, nil, bundle.TooLarge(header.Size))
		} else {
			var content []byte
			if content, err = io.ReadAll(archive); err != nil {
				delete(taken, name)
				return errTransfer
			}
			err = take(name, content, nil)
		}
		if err != nil {
			return err
		}
	}
}

// Add writes a file under another name, checks that all of it came, and renames it. The
// rights are those that [bundle.Directory.Add] gives.
func (f Folder) Add(ctx context.Context, name string, content []byte) error {
	part := shellwords.Quoted(fmt.Sprintf(".part-%s-%d", name, time.Now().UnixNano()))
	dir := f.quoted()
	script := "umask 077 && { [ -d " + dir + " ] || mkdir " + dir + "; } && cd " + dir + " && cat > " + part +
		fmt.Sprintf(" && [ $(wc -c < %s) -eq %d ] && ", part, len(content)) +
		"if [ -n \"$(find . -prune -perm -050)\" ]; then chmod g+r " + part + "; fi && " +
		"mv " + part + " " + shellwords.Quoted(name) + " && echo " + listed + " || { rm -f " + part + "; exit 1; }"
	var out limited
	err := f.run(ctx, script, bytes.NewReader(content), &out)
	if err == nil && !strings.HasSuffix(strings.TrimSpace(out.String()), listed) {
		err = fmt.Errorf("%s did not say that it has the bundle; sync again", f.name())
	}
	return err
}

// quoted is the folder as a word of a POSIX shell.
func (f Folder) quoted() string { return shellwords.Quoted(f.Path) }

// run runs a script on the host with its own shell.
func (f Folder) run(ctx context.Context, script string, in io.Reader, out io.Writer) error {
	words := append(sshOptions(f.Host), "--", f.Host.Destination, "exec sh -c "+shellwords.Quoted(script))
	said := &tail{}
	c := &connection{host: f.Host, said: said}
	c.cmd = exec.CommandContext(ctx, words[0], words[1:]...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = in, out, said
	c.cmd.WaitDelay = time.Second
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Cancel = func() error { return syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }
	err := c.cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no program %q on the PATH, which user@host:folder needs; install OpenSSH's client",
			words[0])
	case c.cmd.ProcessState == nil:
		return fmt.Errorf("%s could not be started: %w", words[0], err)
	case errors.Is(err, errEnough) || errors.Is(err, errTooMuch):
		return err
	case c.cmd.ProcessState.ExitCode() == runner.ConnectionLost:
		return c.connectError("")
	}
	return fmt.Errorf("%s can't be used (%s); check that it is a folder that you may read and write, with room on its "+
		"disk", f.name(), said.last())
}

// errTooMuch is of a host that says more than any folder has names.
var errTooMuch = errors.New("the host sends too much; check what its shell prints at a login")

// limited keeps what is written, up to far more than any folder has names.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > 64<<20 {
		return 0, errTooMuch
	}
	return l.Buffer.Write(p)
}
