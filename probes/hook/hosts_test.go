package hook

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/session"
)

// needsNetworks skips without what makes two networks on one machine; in CI that is a failure.
func needsNetworks(t *testing.T) {
	t.Helper()
	why := ""
	if os.Getuid() != 0 {
		why = "making network namespaces needs root"
	} else if _, err := exec.LookPath("ip"); err != nil {
		why = "ip is not there: apt install iproute2"
	} else if out, err := exec.CommandContext(t.Context(), "unshare", "--net", "true").CombinedOutput(); err != nil {
		why = "no network namespace can be made here: " + strings.TrimSpace(string(out))
	}
	if why == "" {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// twoHosts makes two network namespaces with a cable between them, as two machines have
// it, and returns their names.
func twoHosts(t *testing.T) [2]string {
	t.Helper()
	ip := func(args string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v, %s", args, err, out)
		}
	}
	hosts := [2]string{fmt.Sprintf("sweetspot-a-%d", os.Getpid()), fmt.Sprintf("sweetspot-b-%d", os.Getpid())}
	for _, h := range hosts {
		ip("netns add " + h)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", h).Run() }) //nolint:noctx // the test's context has ended
	}
	ip(fmt.Sprintf("link add eth0 netns %s type veth peer name eth0 netns %s", hosts[0], hosts[1]))
	for i, h := range hosts {
		ip(fmt.Sprintf("-n %s address add 10.0.0.%d/24 dev eth0", h, i+1))
		ip("-n " + h + " link set eth0 up")
		ip("-n " + h + " link set lo up")
	}
	return hosts
}

// A training with torchrun over two hosts is one run: of two ranks on two VMs, with the
// batch of both. Also where only the first host is watched, as when torchrun is started on
// the second by hand.
func TestTwoHosts(t *testing.T) {
	needsNetworks(t)
	python := torch(t)
	for name, other := range map[string]string{"both watched": "", "one watched": "env -u SWEETSPOT_HOOK -u PYTHONPATH"} {
		t.Run(name, func(t *testing.T) {
			hosts := twoHosts(t)
			const launch = `GLOO_SOCKET_IFNAME=eth0 ip netns exec %s %s %s -m torch.distributed.run --nnodes 2 --nproc_per_node 1 ` +
				`--node_rank %d --master_addr 10.0.0.1 --master_port 29500 -r 2 -t 2 --log_dir %s ../frameworks/scripts/ranks.py 3`
			first := fmt.Sprintf(launch, hosts[0], "", python, 0, t.TempDir())
			second := fmt.Sprintf(launch, hosts[1], other, python, 1, t.TempDir())
			s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "profiles.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			p, err := session.Start(t.Context(), session.Options{
				Command: []string{"sh", "-c", second + " & " + first + "; status=$?; wait; exit $status"},
				Files:   Files(), Env: Env(""), Hooked: true, KeepRunning: true, Rule: steady.DefaultRule(), Store: s,
				Description: store.Description{Model: profile.Model{Name: "ranks"}, Mode: profile.Train},
			})
			if err != nil {
				t.Fatal(err)
			}
			u := p.Wait()
			set, err := s.Load(t.Context())
			if err != nil || len(set.Runs) != 1 || *u.ScriptExit != 0 {
				t.Fatalf("%d runs, exit %d, %v, log %q", len(set.Runs), *u.ScriptExit, err, u.Log)
			}
			r := set.Runs[0]
			if r.WorldSize == nil || *r.WorldSize != 2 || r.Count != 2 || r.Workers() != 2 {
				t.Errorf("world size %v on %d VMs", r.WorldSize, r.Count)
			}
			if len(u.Seconds) != 24 || r.BatchSize != 10 || number(r.TrainSize) != 80 || number(r.Epochs) != 3 {
				t.Errorf("%d steps, batch %d, %g samples, %g epochs; warnings %q", len(u.Seconds), r.BatchSize,
					number(r.TrainSize), number(r.Epochs), u.Warnings)
			}
		})
	}
}
