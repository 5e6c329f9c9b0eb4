package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// training takes 60 steps of 20 ms.
const training = `
import argparse, time, torch
p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int)
a = p.parse_args()
torch.set_num_threads(1)
net = torch.nn.Linear(8, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(60):
    opt.zero_grad()
    net(torch.randn(a.batch_size, 8)).sum().backward()
    opt.step()
    time.sleep(0.02)
`

// startTimeout is how long a probe in a queue may take to begin, with PyTorch to import on a busy
// machine.
const startTimeout = 5 * time.Minute

// A matrix on three GPU types is started from the form, left while one of its jobs waits and
// the others run, and followed to its end by the next session.
func TestQueueOnTheScreens(t *testing.T) {
	if os.Getenv("SWEETSPOT_CLUSTER") == "" {
		t.Skip("there is no Slurm cluster; make test-cluster sets one up and runs this test")
	}
	conf := "SLURM_CONF=" + os.Getenv("SLURM_CONF")
	user := newHome(t)
	config := filepath.Join(user.dir, "config", "sweetspot", "config.json")
	writeFile(t, config, `{"slurm": {"quiet_seconds": 4, "gpus": {"a100": {"usd_per_hour": 2.5}}}}`)
	others := slurm(t, "sbatch", "--parsable", "--partition=urgent", "--nodelist=gpu2", "--gres=gpu:a100:1",
		"--output=/dev/null",
		"--wrap=sleep 1200")
	t.Cleanup(func() { _ = exec.Command("scancel", others).Run() })

	s := startAt(t, user, []string{conf}, 120, 40)
	writeFile(t, filepath.Join(s.work, "train.py"), training)
	s.waitFor("Ranking", timeout)
	s.keys("2", "Down", "Enter")
	s.write("/usr/bin/python3 train.py")
	s.keys("Enter", "Down", "Down", "Enter") // the batch sizes
	s.write("16,32")
	s.keys("Enter")
	for screen := s.screen(); !strings.Contains(screen, "▸ where"); screen = s.settled() {
		s.keys("Down")
	}
	s.keys("Right")
	s.waitFor("$2.50/h", timeout)
	for _, gpu := range []string{"a100", "h100", "v100"} {
		for screen := s.settled(); !strings.Contains(screen, "▸   "+gpu); screen = s.settled() {
			s.keys("Down")
		}
		s.keys("Space")
		s.waitFor("✓ "+gpu, timeout)
	}
	s.waitFor("2 batch sizes × 3 GPU types = 6 probes, in 3 jobs", timeout)
	s.keys("p")
	s.waitFor("Start the probes?", timeout)
	s.keys("y")
	s.waitFor("waits for GPUs in use by others", startTimeout)
	s.waitFor("● running", startTimeout)
	s.keys("q")
	s.waitFor("The probes go on.", timeout)
	s.left(0)
	slurm(t, "scancel", others)

	s = startAt(t, user, []string{conf}, 120, 40)
	s.waitFor("follows 6 probes of train.py in slurm", startTimeout)
	s.keys("2")
	s.waitFor("6 of 6 done", 2*startTimeout)
	s.keys("q")
	s.left(0)

	db := sound(t, user.profiles())
	if n := single[int](t, db, "SELECT count(*) FROM runs WHERE iterations = 60 AND spool = ''"); n != 6 {
		t.Errorf("%d runs are whole, want 6", n)
	}
	if n := single[int](t, db, "SELECT count(DISTINCT batch_size) * count(DISTINCT address) FROM runs"); n != 6 {
		t.Errorf("%d combinations of batch size and GPU type, want 6", n)
	}
	if out := slurm(t, "squeue", "--noheader"); out != "" {
		t.Errorf("jobs are left:\n%s", out)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// slurm runs one of Slurm's commands, on the cluster that SLURM_CONF names.
func slurm(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}
