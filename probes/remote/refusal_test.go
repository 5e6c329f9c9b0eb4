package remote

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/probes/porttest"
	"sweetspot/probes/runner"
)

// Whatever keeps a probe from starting is one sentence with the mend.
func TestRefusals(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "nowhere")
	bare := filepath.Join(t.TempDir(), "bare-python")
	if err := os.WriteFile(bare, []byte("#!/bin/sh\nexec python3 -S \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		server  []string
		spoil   func(s *sshd)
		command runner.Command
		options Options
		want    []string
	}{
		{name: "unknown host key", spoil: func(s *sshd) { s.write("known_hosts", nil) },
			want: []string{"host key", "ssh -p"}},
		{name: "refused key", spoil: func(s *sshd) { s.write("client.pub", nil) }, want: []string{"refused the login",
			"ssh-add"}},
		{name: "closed port", spoil: func(s *sshd) { s.host.Port = porttest.Free(t) }, want: []string{"can't be reached",
			"refused"}},
		{name: "unknown name", spoil: func(s *sshd) { s.host.Destination = "no-such-host.invalid" },
			want: []string{"was not found"}},
		{name: "no python", server: []string{`ForceCommand PATH=` + elsewhere + `; eval "$SSH_ORIGINAL_COMMAND"`},
			want: []string{"has no Python", "--python"}},
		{name: "no shell", server: []string{"ForceCommand echo no logins today"}, want: []string{"could not run",
			"no logins today"}},
		{name: "no torch", command: runner.Command{Argv: []string{"{sweetspot-python}"}}, options: Options{Python: bare},
			want: []string{"no Python found there that can import PyTorch", "has no torch", "--python"}},
		{name: "no such python", options: Options{Python: elsewhere}, want: []string{"has no Python", elsewhere, "--python"}},
		{name: "no program", command: runner.Command{Argv: []string{"no-such-program-here"}},
			want: []string{"no program", "on the PATH"}},
		{name: "no directory", command: runner.Command{Argv: []string{"true"}, Dir: elsewhere}, want: []string{"directory " +
			elsewhere}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.server...)
			if c.spoil != nil {
				c.spoil(s)
			}
			if len(c.command.Argv) == 0 {
				c.command.Argv = []string{"true"}
			}
			c.options.NoMetadata = true
			p, err := Start(t.Context(), s.host, c.command, c.options)
			if err == nil {
				p.StopWithin(0)
				t.Fatal("it started")
			}
			for _, part := range append(c.want, s.host.Destination) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("%q is no single line", err)
			}
			if left, _ := os.ReadDir(s.home); len(left) != 0 {
				t.Errorf("left there: %v", left)
			}
		})
	}
}

// What a login shell prints before, after and beside is not the agent's.
func TestChattyLogin(t *testing.T) {
	s := serve(t, `ForceCommand echo "welcome {"; head -c 70000 /dev/urandom; echo; printf 'no end of line'; eval `+
		`"$SSH_ORIGINAL_COMMAND"; echo goodbye`)
	p, out := start(t, s, sh(`echo '{"a":1}' >&3; echo out`), Options{})
	exit := p.Wait()
	out.wg.Wait()
	if exit != (runner.Exit{}) || out.events.String() != "{\"a\":1}\n" || out.stdout.String() != "out\n" {
		t.Errorf("exit %+v, events %q, stdout %q", exit, out.events.String(), out.stdout.String())
	}
}

// Giving up while the host is slow leaves nothing running there.
func TestGivenUp(t *testing.T) {
	s := serve(t, `ForceCommand sleep 0.5; eval "$SSH_ORIGINAL_COMMAND"`)
	began := filepath.Join(t.TempDir(), "began")
	touch := runner.Command{Argv: []string{"touch", began}}
	for _, start := range []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := Start(ctx, s.host, touch, Options{NoMetadata: true})
			return err
		},
		func(ctx context.Context) error {
			_, err := Submit(ctx, s.host, Job{Name: testJob, Root: t.TempDir(), Probes: []Queued{{Command: touch,
				Spool: testJob + "00"}}})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		err := start(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	}
	time.Sleep(time.Second)
	if _, err := os.Stat(began); err == nil {
		t.Error("it began all the same")
	}
}

func TestNoSSH(t *testing.T) {
	t.Setenv(SSHVariable, "no-such-ssh-here")
	if _, err := Start(t.Context(), Host{Destination: "vm"}, sh("true"), Options{}); err == nil ||
		!strings.Contains(err.Error(), "install OpenSSH") {
		t.Errorf("%v", err)
	}
}
