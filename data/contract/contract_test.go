package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"sweetspot/data/internal/exampleranking"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rankingOf are all candidates of a result.
func rankingOf(r *rank.Result, tested validate.Tested, now time.Time) Ranking {
	return NewListing(r, tested, now, All).whole()
}

func TestRankingGolden(t *testing.T) {
	golden(t, "ranking.json", indented(t, rankingOf(exampleranking.New(), nil, pickedAt)))
}

// A tie of very many is counted in full and named in part, the first by value first.
func TestTiesAreBounded(t *testing.T) {
	candidates := make([]candidate.Candidate, mostTied+50)
	for i := range candidates {
		c := &candidates[i]
		c.ID, c.Configuration = fmt.Sprint("c", i), []candidate.Part{{Count: 1, USDPerHour: new(1.0)}}
		c.Time = estimate.Exact(float64(1000-i), estimate.Measured)
		c.Cost = estimate.Exact(1+float64(i)*1e-6, estimate.Measured)
	}
	space := rank.NewSpace(candidate.ListOf(candidates...))
	of := func(sort question.Sort) []Candidate {
		return rankingOf(rank.Evaluate(space, question.Query{Sort: sort}), nil, pickedAt).Candidates
	}
	for _, c := range of(question.ByCost) {
		if *c.Ties != len(candidates)-1 || len(c.TiedWith) != mostTied || c.TiedWith[0] != "c0" && c.ID != "c0" ||
			c.TiedWith[0] != "c1" && c.ID == "c0" {
			t.Fatalf("%s ties with %d: %v", c.ID, *c.Ties, c.TiedWith)
		}
	}
	for _, sort := range []question.Sort{question.ByCost.Strict(), question.ByScore} {
		if c := of(sort)[0]; c.Ties != nil || c.TiedWith == nil || len(c.TiedWith) > 0 {
			t.Errorf("by %s: %v, %v", sort, c.Ties, c.TiedWith)
		}
	}
}

// The keys of CONTRACTS, typed from there. A value of nil ends the walk.
type keys map[string]any

var candidateKeys = keys{
	"id": nil, "rank": nil, "model": nil, "variant": nil, "precision": nil, "mode": nil, "batch_size": nil, "epochs": nil,
	"units": nil, "purchase": nil,
	"pruning": keys{"kind": nil, "ratio": nil, "layers": nil},
	"configuration": keys{"cloud": nil, "region": nil, "instance_type": nil, "host": nil, "gpu": nil, "gpu_count": nil,
		"count": nil, "usd_per_hour": nil},
	"time":     keys{"s": nil, "low": nil, "high": nil, "basis": nil},
	"cost":     keys{"usd": nil, "low": nil, "high": nil, "basis": nil},
	"accuracy": keys{"metric": nil, "value": nil, "low": nil, "high": nil, "basis": nil, "higher_is_better": nil},
	"score":    nil, "tar": nil, "car": nil, "relative": keys{"time": nil, "cost": nil},
	"p_best": keys{"time": nil, "cost": nil}, "feasible": nil,
	"violates": keys{"constraint": nil, "limit": nil, "value": nil}, "frontier": keys{"time": nil, "cost": nil},
	"sources": nil,
}

var rankKeys = keys{
	"schema": nil, "command": nil, "warnings": nil, "query": keys{}, "candidates": candidateKeys,
	"frontier":           keys{"time_accuracy": nil, "cost_accuracy": nil, "time_cost": nil},
	"crossovers":         keys{"dial": nil, "at": nil, "from": nil, "to": nil, "objective": nil},
	"infeasible_because": nil,
}

// require walks the value along the keys; null and empty lists end it too.
func require(t *testing.T, path string, want keys, got any) (seen int) {
	t.Helper()
	switch got := got.(type) {
	case []any:
		for _, item := range got {
			seen += require(t, path+"[]", want, item)
		}
	case map[string]any:
		for name, below := range want {
			v, ok := got[name]
			if !ok {
				t.Errorf("%s.%s is missing", path, name)
			}
			seen++
			if below, ok := below.(keys); ok {
				seen += require(t, path+"."+name, below, v)
			}
		}
	}
	return seen
}

func TestEveryKeyOfTheContractIsThere(t *testing.T) {
	var ranking, pick any
	r := exampleranking.New()
	if err := json.Unmarshal(indented(t, rankingOf(r, nil, pickedAt)), &ranking); err != nil {
		t.Fatal(err)
	}
	if seen := require(t, "rank", rankKeys, ranking); seen < 200 {
		t.Errorf("only %d keys were looked at: the example lost its variety", seen)
	}
	if err := json.Unmarshal(indented(t, NewPick(r, r.First(), time.Now(), "test", nil)), &pick); err != nil {
		t.Fatal(err)
	}
	require(t, "pick", keys{"schema": nil, "command": nil, "warnings": nil, "query": keys{},
		"candidate": candidateKeys}, pick)
}

func TestUnknownIsNull(t *testing.T) {
	r := exampleranking.New()
	for i := range r.Space.Len() {
		c := NewCandidate(r, i, 0, nil, nil)
		switch vm := c.Configuration[0]; {
		case *c.BatchSize == 4096:
			if c.Time.S != nil || c.Time.Basis != nil || c.Feasible {
				t.Errorf("never ran, yet %+v", c)
			}
			last := c.Violates[len(c.Violates)-1]
			if last.Constraint != "gpu_memory" || last.Limit != nil || last.Value != nil {
				t.Errorf("nothing is known of the memory, yet %+v", last)
			}
		case Known(vm.Host) == "desk":
			if vm.Cloud != nil || vm.Region != nil || vm.InstanceType != nil || vm.GPU != nil || vm.GPUCount != nil ||
				vm.PriceFrom != nil {
				t.Errorf("a machine of one's own of which little is known: %+v", vm)
			}
			if c.Cost.USD != nil || c.Configuration[0].USDPerHour != nil || c.Score != nil || c.CAR != nil {
				t.Errorf("has no price, yet %+v", c)
			}
		case c.Precision != nil && c.Accuracy != nil:
			t.Errorf("the pruned variant's accuracy was never measured: %+v", c.Accuracy)
		}
		if c.Rank != nil || c.PBest.Of(objective.Time) != nil || c.Relative.Of(objective.Cost) != nil {
			t.Errorf("not ranked, yet %+v", c)
		}
	}
}

func TestInfeasibleCandidatesFollowWithTheirReasons(t *testing.T) {
	out := rankingOf(exampleranking.New(), nil, pickedAt)
	feasible := true
	for k, c := range out.Candidates {
		if c.Feasible != (c.Rank != nil) || c.Feasible != (len(c.Violates) == 0) {
			t.Errorf("%s: feasible %v, rank %v, violates %v", c.ID, c.Feasible, c.Rank, c.Violates)
		}
		if c.Feasible && (!feasible || *c.Rank != k+1) {
			t.Errorf("place %d has rank %d", k+1, *c.Rank)
		}
		feasible = c.Feasible
	}
	if feasible || out.InfeasibleBecause["time"] == 0 {
		t.Errorf("the example has nothing infeasible: %v", out.InfeasibleBecause)
	}
}

// hostile draws what a database from elsewhere may hold: any text, and numbers
// that are none.
func hostile() *rapid.Generator[candidate.Candidate] {
	odd := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, 2.5, math.NaN(), math.Inf(1), math.Inf(-1),
		math.MaxFloat64, math.SmallestNonzeroFloat64}))
	return rapid.Custom(func(t *rapid.T) candidate.Candidate {
		word := func(name string) string { return rapid.String().Draw(t, name) }
		number := func(name string) *float64 { return rapid.Ptr(rapid.Float64Range(0, 1e9), true).Draw(t, name) }
		guess := func(name string) estimate.Estimate {
			return estimate.Estimate{
				Value: odd.Draw(t, name), Low: odd.Draw(t, name), High: odd.Draw(t, name),
				Basis: estimate.Basis(rapid.IntRange(0, 6).Draw(t, name)),
			}
		}
		c := candidate.Candidate{
			ID: word("id"), Model: word("model"), Mode: profile.Infer, Units: number("units"),
			BatchSize: rapid.IntRange(0, 4096).Draw(t, "batch"),
			Variant:   profile.Variant{Name: word("variant"), Precision: word("precision")},
			Time:      guess("time"), Cost: guess("cost"),
			Configuration: []candidate.Part{{
				VM:    profile.VMType{Cloud: word("cloud"), Region: word("region"), InstanceType: word("vm"), GPU: word("gpu")},
				Count: 2, USDPerHour: number("price"), PriceFrom: word("source"),
			}},
			Sources: rapid.SliceOf(rapid.Int64()).Draw(t, "sources"),
		}
		if rapid.Bool().Draw(t, "pruned") {
			c.Variant.Pruning = &profile.Pruning{Kind: word("kind"), Ratio: number("ratio")}
		}
		if rapid.Bool().Draw(t, "accurate") {
			c.Quality = &candidate.Quality{Metric: word("metric"), Estimate: guess("accuracy"),
				HigherIsBetter: rapid.Bool().Draw(t, "higher")}
		}
		if rapid.Bool().Draw(t, "too big") {
			c.OverMemory = &candidate.Violation{Constraint: question.GPUMemory, Limit: odd.Draw(t, "limit"),
				Value: new(odd.Draw(t, "peak"))}
		}
		return c
	})
}

func hostileResult(t *rapid.T) *rank.Result {
	q := question.Query{Workload: question.Workload{Model: rapid.String().Draw(t, "model"), Mode: profile.Infer, Units: 1,
		Purchase: profile.OnDemand}, Sort: question.ByScore}
	q.Limits = q.Limits.With(objective.Time, rapid.Ptr(rapid.Float64Range(0, 10), true).Draw(t, "max time"))
	return rank.Evaluate(rank.NewSpace(candidate.ListOf(rapid.SliceOfN(hostile(), 1, 4).Draw(t, "candidates")...)), q)
}

func TestNothingKeepsARankingFromBeingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if _, err := json.Marshal(rankingOf(hostileResult(t), nil, pickedAt)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestYAMLSaysTheSameAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPick(hostileResult(t), 0, time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0), "1.0", nil)
		decode := func(write func(io.Writer, any) error, unmarshal func([]byte, any) error) any {
			var b bytes.Buffer
			if err := write(&b, p); err != nil {
				t.Fatal(err)
			}
			var v any
			if err := unmarshal(b.Bytes(), &v); err != nil {
				t.Fatalf("it does not parse: %v\n%s", err, b.String())
			}
			return v
		}
		fromYAML, err := json.Marshal(decode(WriteYAML, yaml.Unmarshal))
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(fromYAML, &got); err != nil {
			t.Fatal(err)
		}
		if want := decode(WriteJSON, json.Unmarshal); !reflect.DeepEqual(got, want) {
			t.Fatalf("YAML holds\n%s\nJSON holds\n%v", fromYAML, want)
		}
	})
}

// begun is a training of which only the first epochs are known, asked about
// more of them.
func begun() *rank.Result {
	set := &profile.Set{Runs: []profile.Run{{
		ID: 1, Model: "net", Mode: profile.Train, InstanceType: "desk", Count: 1, BatchSize: 256, Epochs: new(4.0),
		EpochStartsS: []float64{5, 65, 125, 185, 245},
		Basis:        estimate.Measured, Status: profile.Done,
	}}}
	q := question.Query{
		Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(20.0), Purchase: profile.OnDemand,
			MaxCount: 1},
		Weights: question.Weights{objective.Time: 1, objective.Cost: 1}, Sort: question.ByTime,
	}
	return rank.Answer(set, q, nil)
}

// A total that was predicted from epochs says beside the number how such
// predictions did. Iterations that were measured are multiplied: no back-test
// tells of them.
func TestBackTestsStandBesideTheNumbers(t *testing.T) {
	tested := validate.Tested{{Mode: profile.Train, Basis: estimate.Measured}: {N: 14, Median: 0.04, P90: 0.11}}
	for _, c := range rankingOf(exampleranking.New(), tested, pickedAt).Candidates {
		if c.Tested != nil {
			t.Errorf("%s (%v) was tested: %v", c.ID, c.Time.Basis, c.Tested)
		}
	}
	r := begun()
	candidates := rankingOf(r, tested, pickedAt).Candidates
	if len(candidates) != 1 || candidates[0].Tested == nil || candidates[0].Tested.N != 14 ||
		*candidates[0].Tested.Median != 0.04 || *candidates[0].Tested.P90 != 0.11 {
		t.Errorf("%+v", candidates)
	}
}

// Electricity is all that a machine of one's own is known to cost: what its work costs
// beside it is unknown, and not nothing.
func TestWorkWithoutAPriceIsUnknown(t *testing.T) {
	set := &profile.Set{Runs: []profile.Run{{ID: 1, Model: "net", Mode: profile.Train, InstanceType: "desk", Count: 1,
		BatchSize: 8, Epochs: new(2.0), TotalS: new(7200.0), AveragePowerW: new(100.0), Basis: estimate.Measured,
		Status: profile.Done}}}
	q := question.Default()
	q.Model, q.Mode, q.Bill.ElectricityUSDPerKWh = "net", profile.Train, 0.5
	for price, want := range map[*float64]string{nil: "electricity $0.10", new(0.0): "work $0 + electricity $0.10"} {
		set.Runs[0].USDPerHour = price
		r := rank.Answer(set, q, nil)
		c := NewCandidate(r, 0, 1, nil, nil)
		if got := CostItems(r.Space.At(0)); got != want || c.Cost.USD == nil {
			t.Errorf("%q, want %q: %+v", got, want, c.Cost)
		}
		if cells := lastCells(c); (cells[4] == "") != (price == nil) {
			t.Errorf("work_usd is %q", cells[4])
		}
	}
}

// nulls are the names of the fields of an object that are null, but those of them that
// are named hold nothing else.
func nulls(t *testing.T, v any, names ...string) {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(indented(t, v), &object); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if is, ok := object[n]; !ok || is != nil {
			t.Errorf("%s is %v, not null", n, is)
		}
	}
}

// What nobody said is null, and what is known to be none is 0.
func TestUnknownOfARunIsNull(t *testing.T) {
	bare := profile.Run{Model: "net", Mode: profile.Train, Basis: estimate.Published, InstanceType: "desk"}
	nulls(t, NewRun(bare), "gpu_count", "steady_n", "warmup_iterations", "warmup_extra_s", "instance_type", "pruning")
	nulls(t, NewRun(bare).Steady, "s", "low", "high", "basis")
	nulls(t, newPruning(&profile.Pruning{Ratio: new(0.5)}), "kind")
	watched := bare
	watched.NoGPU, watched.SteadyN, watched.WarmupIterations, watched.WarmupExtraS = true, 30, new(0), new(0.0)
	watched.Variant.Pruning = &profile.Pruning{Kind: "filters"}
	r := NewRun(watched)
	if *r.GPUCount != 0 || *r.SteadyN != 30 || *r.WarmupIterations != 0 || *r.WarmupExtraS != 0 ||
		*r.Pruning.Kind != "filters" || r.Count != 1 {
		t.Errorf("%+v", r)
	}
}

// Whether a VM has a GPU is known of the catalog's and of those that said so.
func TestGPUsOfAMachine(t *testing.T) {
	run := func(id int64, cloud, vm string, none bool, gpus int) profile.Run {
		return profile.Run{ID: id, Model: "net", Mode: profile.Train, Cloud: cloud, InstanceType: vm, Count: 1, BatchSize: 8,
			Epochs: new(2.0), TotalS: new(72.0), NoGPU: none, GPUCount: gpus, Basis: estimate.Measured, Status: profile.Done}
	}
	set := &profile.Set{Runs: []profile.Run{run(1, "", "desk", false, 0), run(2, "", "loft", true, 0),
		run(3, "aws", "listed", false, 0), run(4, "aws", "unlisted", false, 0), run(5, "aws", "other", false, 2)},
		VMTypes: []profile.VMType{{Cloud: "aws", InstanceType: "listed"}}}
	q := question.Default()
	q.Model, q.Mode = "net", profile.Train
	want := map[string]*int{"desk": nil, "loft": new(0), "listed": new(0), "unlisted": nil, "other": new(2)}
	r := rankingOf(rank.Answer(set, q, nil), nil, pickedAt)
	if len(r.Candidates) != len(want) {
		t.Fatalf("%d candidates", len(r.Candidates))
	}
	for _, c := range r.Candidates {
		if p := c.Configuration[0]; !reflect.DeepEqual(p.GPUCount, want[p.Name()]) {
			t.Errorf("%s has %v GPUs", p.Name(), p.GPUCount)
		}
	}
}

// A saving and a gain stand under the name of their unit.
func TestSavingsNameTheirUnit(t *testing.T) {
	for of, want := range map[question.Sort]string{question.ByTime: "7 s", question.ByCost: "$7", question.ByTAR: ""} {
		got := ""
		s, usd := inUnit(of, new(7.0))
		if s != nil {
			got += fmt.Sprintf("%g s", *s)
		}
		if usd != nil {
			got += fmt.Sprintf("$%g", *usd)
		}
		if got != want {
			t.Errorf("%s is %q", of, got)
		}
	}
}
