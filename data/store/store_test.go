package store

import (
	"context"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweetspot/data/library"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func openTemp(tb testing.TB) *Store {
	tb.Helper()
	s := openQuick(tb, filepath.Join(tb.TempDir(), "profiles.db"))
	tb.Cleanup(func() { s.Close() })
	return s
}

func openAt(tb testing.TB, path string) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func loadSet(tb testing.TB, s *Store) *profile.Set {
	tb.Helper()
	set, err := s.Load(context.Background())
	must(tb, err)
	return set
}

func description() Description {
	return Description{
		Model: profile.Model{Name: "resnet18", Dataset: "Fashion-MNIST", Unit: "image", Params: new(11689512.0)},
		Variant: profile.Variant{Name: "half", Precision: "bf16", Pruning: &profile.Pruning{Ratio: new(0.3),
			Layers: map[string]float64{"conv1": 0.3, "conv2": 0.5}}},
		Mode: profile.Train, BatchSize: 128, Epochs: new(20.0), IterationsPerEpoch: new(468.75), TrainSize: new(60000.0),
		Machine: Machine{Host: "box", OS: "linux", CPU: "EPYC", CPUs: 2, GPU: "H100", GPUCount: 1, GPUMemGiB: new(79.6),
			Driver: "580", CUDA: "13.0", USDPerHour: new(2.5)},
		Command: []string{"python", "train.py", "a b"}, Folder: "/home/me/net", Packages: []string{"torch==2.9.0"},
		Framework: "torch 2.9",
		Work: profile.Work{Network: "ResNet", Input: "1x28x28", FLOPs: new(3.6e9), Layers: new(21.0),
			StateBytes: new(1.4e8)},
	}
}

func series(n int) []Iteration {
	its := make([]Iteration, n)
	for i := range its {
		its[i] = Iteration{Epoch: i / 469, Index: i % 469, Seconds: 0.01 + float64(i%7)*1e-4, Units: 128,
			T: float64(i) * 0.011}
	}
	return its
}

func TestRecordAndLoad(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	its := series(150)
	must(t, rec.Append(ctx, Batch{Iterations: its[:100], InitS: new(4.0),
		Memory: []Memory{{T: 1, PeakBytes: 3e9, TotalBytes: 8e10}}}))
	must(t, rec.Append(ctx, Batch{
		Iterations: its[100:],
		Validations: []profile.Validation{{Epoch: 0, Seconds: 2.1, Metric: "top-1", Value: new(0.87), HigherIsBetter: true,
			Units: new(1e4), AtS: new(61.5)}},
		Pauses: []profile.Pause{{AtS: 63, Seconds: 1.4, Kind: "checkpoint", Iterations: new(101)},
			{AtS: 64, Seconds: 0.1}},
		Telemetry: []Telemetry{{T: 6, Utilisation: new(0.97), Watts: new(320.0)}},
		Log:       []LogLine{{T: 1, Level: "out", Text: "hello"}},
	}))
	acc := &profile.Accuracy{Metric: "top-1", Value: 0.87, HigherIsBetter: true, Basis: estimate.Measured}
	end := profile.Run{Status: profile.Done, FirstIterationS: new(0.5),
		Steady: estimate.Around(0.0103, 0.0001, estimate.Measured), SteadyStdDevS: new(2e-4), SteadyN: 140,
		WarmupIterations: new(9), WarmupExtraS: new(0.02), FirstValidationS: new(2.1), PeakMemoryBytes: new(3e9),
		ExitS: new(0.4), TotalS: new(9.5),
		Accuracy: acc}
	must(t, rec.Finish(ctx, Finish{Run: end, StoppedBecause: "precise", ScriptExit: new(0), SpentS: 12,
		SpentUSD: new(0.008)}))

	set := loadSet(t, s)
	if len(set.Runs) != 1 || len(set.Models) != 1 {
		t.Fatalf("%d runs, %d models", len(set.Runs), len(set.Models))
	}
	d := description()
	want := profile.Run{
		Command: d.Command, Folder: d.Folder, Packages: d.Packages, Work: d.Work, Framework: d.Framework, CPUs: 2,
		ID: rec.ID(), Model: "resnet18", Dataset: "Fashion-MNIST", Unit: "image", Variant: d.Variant, Mode: profile.Train,
		InstanceType: "box", GPU: "H100", GPUCount: 1, GPUMemGiB: d.Machine.GPUMemGiB, Count: 1,
		USDPerHour: d.Machine.USDPerHour,
		BatchSize:  128, Epochs: d.Epochs, IterationsPerEpoch: d.IterationsPerEpoch, TrainSize: d.TrainSize,
		InitS: new(4.0), FirstIterationS: end.FirstIterationS, Steady: end.Steady, SteadyStdDevS: end.SteadyStdDevS,
		SteadyN:          140,
		WarmupIterations: new(9), WarmupExtraS: new(0.02), FirstValidationS: new(2.1), ExitS: new(0.4),
		TotalS: new(9.5), PeakMemoryBytes: new(3e9),
		Accuracy: acc,
		Validations: []profile.Validation{{Seconds: 2.1, Metric: "top-1", Value: new(0.87), HigherIsBetter: true,
			Units: new(1e4), AtS: new(61.5)}},
		Pauses: []profile.Pause{{AtS: 63, Seconds: 1.4, Kind: "checkpoint", Iterations: new(101)},
			{AtS: 64, Seconds: 0.1}}, EpochStartsS: []float64{0},
		Status: profile.Done, Basis: estimate.Measured, Source: "sweetspot probe on box",
		AsOf: time.Now().UTC().Format(time.DateOnly),
	}
	if got := set.Runs[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v\nwant   %+v", got, want)
	}
	got, err := s.Iterations(ctx, rec.ID())
	must(t, err)
	if !slices.Equal(got, its) {
		t.Error("the iterations did not come back as they went in")
	}
	for table, want := range map[string]int{"pauses": 2, "memory": 1, "telemetry": 1, "log_lines": 1} {
		var n int
		must(t, s.read.QueryRow("SELECT count(*) FROM "+table).Scan(&n))
		if n != want {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	if _, err := s.Iterations(ctx, 99); err == nil || !strings.Contains(err.Error(), "no run 99") {
		t.Errorf("unknown run: %v", err)
	}
}

// The sums a run keeps are those of its rows, however the batches fell.
func TestSumsEqualRows(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	its := series(1000)
	for i, size := 0, 0; i < len(its); i += size {
		size = min((i*7)%131, len(its)-i)
		if i%2 == 0 {
			size = min(64, len(its)-i) // exactly one block
		}
		must(t, rec.Append(ctx, Batch{Iterations: its[i : i+size]}))
		if size == 0 {
			size = min(3, len(its)-i)
			must(t, rec.Append(ctx, Batch{Iterations: its[i : i+size]}))
		}
	}
	type sums struct{ n, sum, sum2, least, great float64 }
	var kept, rows sums
	must(t, s.read.QueryRow("SELECT iterations, iterations_sum_s, iterations_sum_s2, iterations_min_s, "+
		"iterations_max_s FROM runs").
		Scan(&kept.n, &kept.sum, &kept.sum2, &kept.least, &kept.great))
	must(t, s.read.QueryRow("SELECT count(*), sum(seconds), sum(seconds*seconds), min(seconds), max(seconds) FROM "+
		"iterations").
		Scan(&rows.n, &rows.sum, &rows.sum2, &rows.least, &rows.great))
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
	if kept.n != 1000 || rows.n != 1000 || kept.least != rows.least || kept.great != rows.great ||
		!near(kept.sum, rows.sum) || !near(kept.sum2, rows.sum2) {
		t.Errorf("kept %+v, rows %+v", kept, rows)
	}
	var gaps int
	must(t, s.read.QueryRow("SELECT count(*) FROM iterations WHERE seq NOT BETWEEN 0 AND 999").Scan(&gaps))
	if gaps != 0 {
		t.Errorf("%d rows are numbered wrongly", gaps)
	}
}

func TestAppendRefusesBadTimesWhole(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1} {
		its := append(series(100), Iteration{Seconds: bad})
		if err := rec.Append(ctx, Batch{Iterations: its, Log: []LogLine{{Text: "x"}}}); err == nil {
			t.Errorf("%g seconds were recorded", bad)
		}
	}
	must(t, rec.Append(ctx, Batch{Iterations: []Iteration{{Seconds: 1, Units: math.NaN(), T: math.Inf(1)}}}))
	got, err := s.Iterations(ctx, rec.ID())
	must(t, err)
	if want := []Iteration{{Seconds: 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v: nothing of a refused batch may stay", got)
	}
}

// A run whose recorder was killed is summarised from its rows.
func TestUnfinishedRun(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	its := series(300)
	its[0].Seconds = 2.5
	// A second rank that is slower by a millisecond in every step.
	var both []Iteration
	for _, it := range its {
		slow := it
		slow.Rank, slow.Seconds = 1, it.Seconds+0.001
		both = append(both, it, slow)
	}
	must(t, rec.Append(ctx, Batch{Iterations: both, Memory: []Memory{{PeakBytes: 1e9}, {PeakBytes: 2e9}},
		Validations: []profile.Validation{{Seconds: 5}, {Seconds: 2}, {Seconds: 3, Metric: "top-1", Value: new(0.9),
			HigherIsBetter: true}}}))

	run := loadSet(t, s).Runs[0]
	if run.Status != profile.Running {
		t.Errorf("status %s right after an append", run.Status)
	}
	if *run.FirstIterationS != 2.501 || math.Abs(run.Steady.Value-0.0113) > 1e-5 ||
		run.Steady.Basis != estimate.Measured || run.SteadyN < 200 || run.SteadyN > 299 {
		t.Errorf("first %g, steady %v of %d", *run.FirstIterationS, run.Steady, run.SteadyN)
	}
	if *run.PeakMemoryBytes != 2e9 || *run.FirstValidationS != 5 || *run.ValidationS != 2.5 || run.Accuracy.Value != 0.9 {
		t.Errorf("memory %v, validations %v %v, accuracy %v", *run.PeakMemoryBytes, *run.FirstValidationS, *run.ValidationS,
			run.Accuracy)
	}

	s.nowFunc = func() time.Time { return time.Now().Add(silence + time.Second) }
	if got := loadSet(t, s).Runs[0]; got.Status != profile.Interrupted || got.Steady != run.Steady {
		t.Errorf("after %s of silence: %s, steady %v", silence, got.Status, got.Steady)
	}
}

func TestDescribeReplaces(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, Description{Model: profile.Model{Name: "train.py"}, Mode: profile.Train})
	must(t, err)
	must(t, rec.Describe(ctx, description()))
	set := loadSet(t, s)
	if len(set.Models) != 1 || set.Models[0].Name != "resnet18" || set.Runs[0].Model != "resnet18" ||
		set.Runs[0].GPU != "H100" {
		t.Errorf("models %+v, run %+v", set.Models, set.Runs[0])
	}
	var variants, machines int
	must(t, s.read.QueryRow("SELECT (SELECT count(*) FROM variants), (SELECT count(*) FROM machines)").Scan(&variants,
		&machines))
	if variants != 1 || machines != 1 {
		t.Errorf("%d variants and %d machines are left", variants, machines)
	}
}

func TestDiscard(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	must(t, rec.Append(ctx, Batch{Iterations: series(10)}))
	must(t, s.Discard(ctx, rec.ID()))
	for _, table := range []string{"runs", "iterations", "variants", "models", "machines"} {
		var n int
		must(t, s.read.QueryRow("SELECT count(*) FROM "+table).Scan(&n))
		if n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if err := s.Discard(ctx, rec.ID()); err == nil {
		t.Error("a run was discarded twice")
	}
	if err := rec.Append(ctx, Batch{Iterations: series(1)}); err == nil ||
		!strings.Contains(err.Error(), "deleted while it went on") {
		t.Errorf("appending to a deleted run: %v", err)
	}
}

func TestImportIsIdempotent(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	lib, err := library.Load()
	must(t, err)
	n, err := s.Import(ctx, lib)
	must(t, err)
	if n != len(lib.Runs) {
		t.Errorf("imported %d of %d", n, len(lib.Runs))
	}
	if n, err := s.Import(ctx, lib); err != nil || n != 0 {
		t.Errorf("the second import took %d runs, %v", n, err)
	}
	set := loadSet(t, s)
	for i := range set.Runs {
		got, want := set.Runs[i], lib.Runs[i]
		if got.ID <= 0 {
			t.Fatalf("ID %d", got.ID)
		}
		got.ID, want.ID = 0, 0
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("imported %+v\nloaded   %+v", want, got)
		}
	}
	if !slices.EqualFunc(set.VMTypes, lib.VMTypes, func(a, b profile.VMType) bool {
		return a.Key() == b.Key() &&
			len(a.Prices) == len(b.Prices)
	}) {
		t.Error("the VM types did not come back")
	}
	bad := &profile.Set{Runs: []profile.Run{{Model: "a", Mode: profile.Train, Basis: estimate.Spec},
		{Model: "b", TotalS: new(math.NaN())}}}
	if n, err := s.Import(ctx, bad); err == nil || n != 0 {
		t.Errorf("NaN was imported: %d, %v", n, err)
	}
	if got := len(loadSet(t, s).Runs); got != len(lib.Runs) {
		t.Errorf("half an import stayed: %d runs", got)
	}
}

func TestViews(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	lib, err := library.Load()
	must(t, err)
	_, err = s.Import(ctx, lib)
	must(t, err)
	var vm string
	var price, startup, steady, low float64
	must(t, s.read.QueryRow(`SELECT instance_type, usd_per_hour, startup_s, steady_s, steady_low_s FROM v_candidates
		WHERE model = 'seismic/FCN' AND batch_size = 256 AND steady_s IS NOT NULL ORDER BY steady_s LIMIT 1`).Scan(&vm,
		&price, &startup, &steady, &low))
	if vm != "p3.8xlarge" || price != 12.24 || startup != 63.017 || steady != 0.01116 || low != steady {
		t.Errorf("%s at %g: %g + %g", vm, price, startup, steady)
	}
	var runs, candidates int
	must(t, s.read.QueryRow("SELECT (SELECT count(*) FROM v_runs), (SELECT count(*) FROM v_candidates)").Scan(&runs,
		&candidates))
	if runs != len(lib.Runs) || candidates != runs-18 { // ApproxDNN's 18 accuracies have no times
		t.Errorf("%d in v_runs, %d in v_candidates", runs, candidates)
	}
}

func TestNamed(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	for dir, want := range map[string]string{"/data": "/data/sweetspot/profiles.db",
		"": "/home/u/.local/share/sweetspot/profiles.db", "rel": "/home/u/.local/share/sweetspot/profiles.db"} {
		t.Setenv("XDG_DATA_HOME", dir)
		if got, err := Named(""); got != want || err != nil {
			t.Errorf("with %q: %s, want %s; %v", dir, got, want, err)
		}
	}
	if got, err := Named("/a/../b.db"); got != "/b.db" || err != nil {
		t.Errorf("named: %s, %v", got, err)
	}
	// A folder below the temporary directory would be anyone's who is there first.
	for _, home := range []string{"", "u"} {
		t.Setenv("HOME", home)
		t.Setenv("XDG_DATA_HOME", "")
		path, err := Named("")
		oneSentence(t, err, "HOME is not set", "--db")
		if path != "" {
			t.Errorf("with HOME=%q: %s", home, path)
		}
		_, err = Open(t.Context(), "")
		oneSentence(t, err, "HOME is not set")
	}
}

// Whatever the umask is, nobody else can read a database, the files beside it, its
// copies and the folders made for it.
func TestFilesArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := openAt(t, filepath.Join(dir, "p.db"))
	_, err := s.Start(t.Context(), description())
	must(t, err)
	_, err = s.Backup(t.Context(), filepath.Join(dir, "copy.db"))
	must(t, err)
	for path, want := range map[string]fs.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, filepath.Join(dir, "p.db"): 0o600,
		filepath.Join(dir, "p.db-wal"): 0o600, filepath.Join(dir, "p.db-shm"): 0o600, filepath.Join(dir, "copy.db"): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s is %o, want %o", path, got, want)
		}
	}
}

// The version a screen polls changes with commits of its own process as well,
// and only with commits.
func TestDataVersion(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	version := func() int64 {
		t.Helper()
		v, err := s.DataVersion(ctx)
		must(t, err)
		return v
	}
	first := version()
	loadSet(t, s)
	if version() != first {
		t.Error("reading changed the version")
	}
	rec, err := s.Start(ctx, description())
	must(t, err)
	started := version()
	must(t, rec.Append(ctx, Batch{Iterations: series(1)}))
	if appended := version(); started == first || appended == started {
		t.Errorf("versions %d, %d, %d", first, started, appended)
	}
}

// A poll may be under way while another database is opened in place of this one.
func TestAClosedDatabaseAnswersWithAnError(t *testing.T) {
	s := openTemp(t)
	must(t, s.Close())
	must(t, s.Close())
	if _, err := s.DataVersion(t.Context()); err == nil {
		t.Error("a closed database has a version")
	}
}

// What failed before its first iteration stays to be seen, and is no
// candidate.
func TestFailedRunsAreNoCandidates(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	for _, status := range []profile.Status{profile.Failed, profile.Interrupted, profile.OutOfMemory} {
		rec, err := s.Start(ctx, description())
		must(t, err)
		must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: status}}))
	}
	var candidates int
	must(t, s.read.QueryRow("SELECT count(*) FROM v_candidates").Scan(&candidates))
	runs := loadSet(t, s).Runs
	if candidates != 0 || len(runs) != 3 || runs[0].Status != profile.Failed || runs[0].Answers() || runs[1].Answers() ||
		!runs[2].Answers() {
		t.Errorf("%d candidates, runs %+v", candidates, runs)
	}
}
