package e2e

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sweetspot/tui/state"
)

// The way of a new user, on screen: a script that was probed on a CPU is ranked on VM types with
// GPUs, by its work alone; the advice names a probe and its cents; N and a yes rent the VM, whose
// run comes back; and what was a guess is measured. Only the GPU is played, see testdata/sky.
func TestFromAScriptToAMeasuredVM(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.ok("probe", "--precision-target", "20%", "--max-seconds", "60s", "--", "python3", "train.py", "--epochs", "1")
	var advice struct {
		Probes []struct {
			Candidate string
			USD       float64
		}
		Candidates []struct {
			ID            string
			Configuration []struct {
				InstanceType string `json:"instance_type"`
				GPU          string
			}
		}
	}
	if err := json.Unmarshal([]byte(c.ok("rank", "--json")), &advice); err != nil || len(advice.Probes) == 0 {
		t.Fatalf("no probe is advised: %v, %+v", err, advice)
	}
	var vm, gpu string
	for _, x := range advice.Candidates {
		if x.ID == advice.Probes[0].Candidate {
			vm, gpu = x.Configuration[0].InstanceType, x.Configuration[0].GPU
		}
	}
	if err := state.Save(filepath.Join(c.user.dir, "state", "sweetspot", "state.json"), state.State{}); err != nil {
		t.Fatal(err) // without a question of an earlier session
	}
	s := startAt(t, c.user, append(c.env(), "STANDIN_ANY=1", "STANDIN_GPU="+gpu), 120, 40)
	screen := s.waitUntil("a ranking by the work alone", time.Minute, func(screen string) bool {
		return strings.Count(screen, " spec ") >= 10
	})
	estimates := regexp.MustCompile(`± ?\d+ %.*\$[\d.]+ ± ?\d+ %.* spec `).FindAllString(screen, -1)
	if len(estimates) < 10 {
		t.Errorf("%d VM types with intervals:\n%s", len(estimates), screen)
	}
	if !strings.Contains(screen, "it was never measured") ||
		!regexp.MustCompile(`probe `+regexp.QuoteMeta(vm)+`[\s\S]*\$0\.\d\d`).MatchString(screen) {
		t.Errorf("the advice is not to probe %s for some cents:\n%s", vm, screen)
	}
	s.keys("N")
	if asked := s.waitFor("Rent a VM?", time.Minute); !regexp.MustCompile(`\$\d+\.\d\d`).MatchString(asked) {
		t.Errorf("what it costs is not said:\n%s", asked)
	}
	if log := c.log(); log != "" {
		t.Errorf("rented without a yes: %s", log)
	}
	s.keys("y")
	s.waitFor("2 runs of yours", 3*time.Minute)
	s.waitUntil("an end of the VM", time.Minute, func(string) bool { return len(c.vms()) == 0 })
	s.keys("/") // it may stand far below
	s.write(vm)
	s.keys("Enter")
	s.waitUntil("the VM's run in the ranking", time.Minute,
		regexp.MustCompile(`1× `+regexp.QuoteMeta(vm)+`\b.*● meas`).MatchString)
	if log := c.log(); !strings.Contains(log, " "+vm+" ") || !strings.HasSuffix(log, " down\n") || len(c.vms()) != 0 {
		t.Errorf("the VM is still there: %s", log)
	}
	if times := c.measured(); !(times[vm] > 0) {
		t.Errorf("measured: %v", times)
	}
}
