package store

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// zeusRun is a training under a power limit; 0 is the maker's.
func zeusRun(limit, watts float64) profile.Run {
	r := profile.Run{Model: "net", Mode: profile.Train, InstanceType: "V100", GPU: "V100", GPUCount: 1, Count: 1,
		BatchSize: 64,
		Epochs:    new(1.0), TotalS: new(1000 / (limit + 1)), Status: profile.Done, Basis: estimate.Published}
	if limit > 0 {
		r.PowerLimitW = &limit
	}
	if watts > 0 {
		r.AveragePowerW, r.EnergyOf = &watts, profile.EnergyOfGPUs
	}
	return r
}

// Power and its limit come back as they went in, also by way of a merge; runs
// under two limits are of two machines.
func TestEnergyIsKept(t *testing.T) {
	s, other := openTemp(t), openTemp(t)
	in := []profile.Run{zeusRun(0, 180), zeusRun(150, 120)}
	in[0].EnergyJPerUnit = new(2.5)
	_, err := s.Import(t.Context(), &profile.Set{Runs: in})
	must(t, err)
	_, err = other.Merge(t.Context(), s.Path())
	must(t, err)
	for _, db := range []*Store{s, other} {
		runs := loadSet(t, db).Runs
		if len(runs) != 2 {
			t.Fatalf("%d runs", len(runs))
		}
		for i, r := range runs {
			r.ID = 0
			if got, want := *r.AveragePowerW, *in[i].AveragePowerW; got != want || r.EnergyOf != profile.EnergyOfGPUs ||
				r.VM() != in[i].VM() {
				t.Errorf("%+v came back as %+v", in[i], r)
			}
		}
		if *runs[0].EnergyJPerUnit != 2.5 || runs[0].PowerLimitW != nil || runs[1].VM().InstanceType != "V100 at 150 W" {
			t.Errorf("%+v", runs)
		}
	}
}

// Runs that were imported before their power was read are given it.
func TestImportingAgainAddsEnergy(t *testing.T) {
	s := openTemp(t)
	for _, watts := range []float64{0, 180, 0} {
		_, err := s.Import(t.Context(), &profile.Set{Runs: []profile.Run{zeusRun(0, watts)}})
		must(t, err)
	}
	if runs := loadSet(t, s).Runs; len(runs) != 1 || *runs[0].AveragePowerW != 180 ||
		runs[0].EnergyOf != profile.EnergyOfGPUs {
		t.Errorf("%+v", runs)
	}
}

// Readings of runs that were recorded before their mean power was kept tell it,
// and so do those of a run whose recorder was killed.
func TestPowerFromReadings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite3", path)
	must(t, err)
	for _, step := range append(steps[:6:6], `PRAGMA application_id = 1937208176; PRAGMA user_version = 6;
		INSERT INTO models (id, name) VALUES (1, 'net'); INSERT INTO variants (id, model_id) VALUES (1, 1); INSERT INTO machines (id) VALUES (1);
		INSERT INTO runs (id, variant_id, machine_id, mode, status, basis, energy_j_per_unit, fingerprint) VALUES
			(1, 1, 1, 'train', 'done', 'measured', 5, 'a'), (2, 1, 1, 'train', 'done', 'measured', NULL, 'b'),
			(3, 1, 1, 'train', 'done', 'measured', NULL, 'c'), (4, 1, 1, 'train', 'running', 'measured', NULL, 'd');
		INSERT INTO telemetry (run_id, seq, t, gpu, utilisation, watts, shared) VALUES
			(1, 0, 0, 0, 0, 50, 0), (1, 1, 1, 0, 1, 200, 0), (1, 2, 2, 0, 1, 300, 0), (1, 3, 2, 1, NULL, 100, NULL),
			(2, 0, 0, 0, 1, 200, 1), (4, 0, 0, 0, 1, 90, 0)`) {
		_, err := old.Exec(step)
		must(t, err)
	}
	must(t, old.Close())
	s, err := Open(context.Background(), path)
	must(t, err)
	defer s.Close()
	_, err = s.write.Exec("UPDATE runs SET average_power_w = NULL, energy_of = '' WHERE id = 4")
	must(t, err)
	runs := loadSet(t, s).Runs
	if *runs[0].AveragePowerW != 350 || runs[0].EnergyOf != profile.EnergyOfGPUs || *runs[0].EnergyJPerUnit != 5 {
		t.Errorf("from two GPUs: %+v", runs[0])
	}
	for _, r := range runs[1:3] {
		if r.AveragePowerW != nil || r.EnergyOf != "" {
			t.Errorf("from a shared GPU, or none: %+v", r)
		}
	}
	if *runs[3].AveragePowerW != 90 || runs[3].EnergyOf != profile.EnergyOfGPUs {
		t.Errorf("of a killed recorder: %+v", runs[3])
	}
}
