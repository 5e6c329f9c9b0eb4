package request

import (
	"strings"
	"testing"

	"sweetspot/probes/matrix"
	"sweetspot/probes/sky"
)

// What the clusters cost together stands first, where it is read before any is agreed to; it is not
// said where the price of one is not known.
func TestRentedInWords(t *testing.T) {
	cells := []matrix.Cell{{Host: "A100", Batch: 16}, {Host: "A100", Batch: 32}, {Host: "V100", Batch: 16}}
	r := Request{On: onSky, GPUs: []string{"A100", "V100"}, Sky: sky.Options{Infra: []string{"slurm/lab"},
		GPUs: map[string]sky.GPU{"A100": {USDPerHour: new(2.0)}, "V100": {USDPerHour: new(1.0)}}}}
	r.Rule.MaxSeconds = 120
	words := func() []string {
		t.Helper()
		rented, err := r.Rent(cells, nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(rented.String(), "\n"), "\n")
	}
	lines := words()
	// 10 minutes to set up, 2:45 for each probe and one of grace are 17 and 14, after 10 to start and before 3 to end.
	for i, want := range []string{"SkyPilot begins 2 clusters, with autostop, for at most $1.45, disks and traffic aside:",
		"  A100 for 2 probes, at up to $2.00 an hour, gone after at most 30 m 00 s: slurm/lab",
		"  V100 for 1 probe, at up to $1.00 an hour, gone after at most 27 m 00 s: slurm/lab"} {
		if len(lines) != 3 || lines[i] != want {
			t.Fatalf("line %d is not %q:\n%s", i, want, strings.Join(lines, "\n"))
		}
	}
	r.Sky.GPUs["V100"] = sky.GPU{}
	if lines = words(); lines[0] != "SkyPilot begins 2 clusters, with autostop:" ||
		!strings.Contains(lines[2], "at a price that is not known") {
		t.Errorf("with a price unknown:\n%s", strings.Join(lines, "\n"))
	}
}
