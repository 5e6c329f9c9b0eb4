package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/workspace"
	"sweetspot/engine/question"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/server"
	"sweetspot/tui/state"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	screens     screenFlags
	address     string
	authorised  string
	allow       screen.Rights
	idle        time.Duration
	maxSessions int
}

func newServeCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [DB] --ssh ADDRESS",
		Short: "Show the screens to a team, over SSH",
		Long: "serve lets everyone whose public key is in a file log in with ssh and gives each of them screens of their\n" +
			"own over one database. Guests only look, unless --allow says more: picks saves picks; edits renames,\n" +
			"annotates, deletes and restores; probes runs commands on this machine as you; files reads and writes files\n" +
			"of this machine as you. It ends with ctrl-c or SIGTERM.",
		Example: "  sweetspot serve --ssh :2222\n  sweetspot serve team.db --ssh 10.0.0.5:2222 --allow picks --idle 8h\n" +
			"  ssh -p 2222 advisor.lab",
		Args: existingFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			db := database(cmd)
			if len(args) == 1 {
				db = args[0]
			}
			return f.serve(cmd, db)
		},
		ValidArgsFunction: databaseFiles,
	}
	f.screens.registerLook(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.screens.python, "python", "", "Python that has PyTorch, for probes")
	fl.BoolVar(&f.screens.noState, "no-state", false, "remember nothing of a guest's screens")
	fl.StringVar(&f.address, "ssh", "", "address to listen on: host:port, or :port on every interface")
	fl.StringVar(&f.authorised, "authorized-keys", "", "file of the public keys that may log in (default: "+
		"authorized_keys in the config folder)")
	fl.Var(flagOf(&f.allow, screen.ParseRights, ""), "allow", "what guests may do beside looking: picks, edits, probes, "+
		"files, with commas between")
	fl.Var(flagOf(&f.idle, parseIdle, "1h"), "idle", "end a session in which no key was pressed for so long; 0 never does")
	fl.Var(flagOf(&f.maxSessions, parseSessions, "40"), "max-sessions", "sessions at a time")
	return cmd
}

func (f *serveFlags) serve(cmd *cobra.Command, db string) (err error) {
	c, err := f.config(cmd)
	if err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	w, err := opened(ctx, cmd, db, workspace.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	c.Workspace, c.Screens.Workspace = w, w
	start := c.Screens.Probe
	c.Screens.Probe = func(ctx context.Context, _ screen.Workspace, form probe.Form, asked question.Query) (probe.Probe,
		error) {
		return start(ctx, w, form, asked)
	}
	s, err := server.New(c)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		if err := printJSON(cmd.OutOrStdout(), serveAnswer{contract.NewHead("serve"), s.Address(), s.HostKey(), s.Keys(),
			w.Path(), f.allow.Names()}); err != nil {
			return err
		}
	}
	return s.Serve(ctx)
}

// serveAnswer is the JSON of serve, once it listens; it then serves until it is stopped.
type serveAnswer struct {
	contract.Head
	Address  string   `json:"address"`  // host:port
	HostKey  string   `json:"host_key"` // fingerprint of the server's own key
	Keys     int      `json:"keys"`     // that may log in
	Database string   `json:"database"`
	Allowed  []string `json:"allowed"` // what guests may do beside looking
}

// config is what the flags say.
func (f *serveFlags) config(cmd *cobra.Command) (c server.Config, err error) {
	if _, _, err := net.SplitHostPort(f.address); err != nil {
		return c, usageError("give an address to listen on: --ssh :2222, or --ssh 127.0.0.1:2222 for this machine alone")
	}
	c = server.Config{Address: f.address, Authorised: f.authorised, Idle: f.idle, MaxSessions: f.maxSessions,
		Denied: screen.AllRights &^ f.allow, Log: cmd.ErrOrStderr()}
	if c.Authorised == "" {
		folder, err := os.UserConfigDir()
		if err != nil {
			return c, fmt.Errorf("there is no config folder (%w): name a file of public keys with --authorized-keys", err)
		}
		c.Authorised = filepath.Join(folder, "sweetspot", "authorized_keys")
	}
	own, err := state.Path()
	if err != nil {
		return c, fmt.Errorf("there is no folder for the server's own key: %w", err)
	}
	folder := filepath.Join(filepath.Dir(own), "serve")
	c.HostKey = filepath.Join(folder, "host_ed25519_key")
	if !f.screens.noState {
		c.States = folder
	}
	o := f.screens
	o.noState = true // the owner's session is nobody's business
	c.Screens, _, err = o.options()
	c.Screens.Queues = queues{python: o.python} // no guest rents with the owner's account
	return c, err
}

func parseIdle(s string) (time.Duration, error) {
	seconds, err := parseTerm(s)
	if err == nil && (seconds != 0 && seconds < 1 || seconds > 1e9) {
		err = fmt.Errorf("%q is not between 1 s and 30 years; 0 sets no limit", s)
	}
	return time.Duration(seconds * float64(time.Second)), err
}

func parseSessions(s string) (n int, err error) {
	if n, err = strconv.Atoi(s); err == nil && (n < 1 || n > 1000) {
		err = fmt.Errorf("%q is not between 1 and 1000", s)
	}
	return n, err
}
