package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// metered trains a made-up model whose machine takes watts, by a counter of the
// CPU packages that it reports with every iteration of 10 ms.
func metered(batch, watts int) string {
	return fmt.Sprintf(`
echo '{"sweetspot":1,"event":"model","name":"metered","unit":"image","batch_size":%d,"iterations_per_epoch":100,"epochs":1}'
i=0
while [ $i -lt 100 ]; do
	t=$(printf '%%d.%%02d' $((i / 100)) $((i %% 100)))
	echo "{\"sweetspot\":1,\"event\":\"iteration\",\"t\":$t,\"index\":$i,\"seconds\":0.01,\"units\":%d}"
	echo "{\"sweetspot\":1,\"event\":\"telemetry\",\"t\":$t,\"gpu\":0,\"cpu\":true,\"energy_j\":$((i * %d)).0}"
	i=$((i + 1))
	sleep 0.01
done
echo '{"sweetspot":1,"event":"done","reason":"end"}'`, batch, batch, watts/100)
}

// The energy that a probe measured is an objective from the database to the
// exported pick: a column, a limit, an order, a frontier and a slider.
func TestEnergyFromTheProbeToTheExport(t *testing.T) {
	t.Parallel()
	s := newHome(t)
	db := filepath.Join(s.dir, "metered.db")
	for batch, watts := range map[int]int{8: 100, 16: 300} {
		script := filepath.Join(s.dir, fmt.Sprintf("train%d.sh", batch))
		if err := os.WriteFile(script, []byte(metered(batch, watts)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(t, s, "probe", "--db", db, "--price", "$1", "--no-tui", "--yes", "--", "sh", script); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	var ranking struct {
		Candidates []struct {
			BatchSize int `json:"batch_size"`
			Energy    struct {
				KWh, Low, High float64
				Basis          string
			}
			Feasible bool
			Frontier struct{ Energy bool }
		}
		Frontier struct {
			TimeEnergy []string `json:"time_energy"`
		}
	}
	ranked := run(t, s, "rank", "--db", db, "--model", "metered", "--epochs", "1", "--sort", "energy", "--json")
	if err := json.Unmarshal([]byte(ranked.out), &ranking); err != nil || ranked.code != 0 ||
		len(ranking.Candidates) != 2 {
		t.Fatalf("%v: %+v", err, ranked)
	}
	// 100 iterations at 1 J and at 3 J; what start-up took is in the interval.
	for i, joules := range []float64{100, 300} {
		c := ranking.Candidates[i]
		if e := c.Energy; e.Low*3.6e6 > joules || e.High*3.6e6 < joules || e.Basis != "measured" || c.BatchSize != 8*(i+1) {
			t.Errorf("batch %d took %+v, not %g J by measurement", c.BatchSize, e, joules)
		}
	}
	if len(ranking.Frontier.TimeEnergy) == 0 {
		t.Error("no frontier of time and energy")
	}
	if got := run(t, s, "rank", "--db", db, "--model", "metered", "--epochs", "1", "--max-energy",
		"0.001Wh"); got.code != 3 ||
		!strings.Contains(got.stderr, "energy") {
		t.Errorf("a limit that nothing holds: %+v", got)
	}
	for _, form := range []string{"csv", "yaml", "markdown"} {
		got := run(t, s, "export", "--db", db, "--model", "metered", "--epochs", "1", "--sort", "energy", "--format", form)
		if got.code != 0 || !strings.Contains(got.out, "kwh") && !strings.Contains(got.out, "Wh") {
			t.Errorf("%s holds no energy: %+v", form, got)
		}
	}
	energyOnExplore(t, s, db)
}

func energyOnExplore(t *testing.T, user home, db string) {
	s := startAt(t, user, nil, 120, 40, db)
	s.waitFor("2 of 2", timeout)
	s.waitFor("energy", timeout)
	s.keys("t")
	s.waitFor("time × energy", timeout)
	s.keys("q")
	s.left(0)
}
