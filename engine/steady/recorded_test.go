package steady

import (
	"bufio"
	"embed"
	"math"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/traces
var recordings embed.FS

// A recording is a real probe's iteration times in seconds, the first one
// included. The first line of its file says of what.
type recording struct {
	name    string
	seconds []float64
}

func recorded(t testing.TB) []recording {
	files, err := recordings.ReadDir("testdata/traces")
	if err != nil {
		t.Fatal(err)
	}
	var out []recording
	for _, f := range files {
		file, err := recordings.Open("testdata/traces/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		r := recording{name: strings.TrimSuffix(f.Name(), ".txt")}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if text := lines.Text(); !strings.HasPrefix(text, "#") {
				x, err := strconv.ParseFloat(text, 64)
				if err != nil || x <= 0 {
					t.Fatalf("%s: %q is no time", f.Name(), text)
				}
				r.seconds = append(r.seconds, x)
			}
		}
		out = append(out, r)
	}
	return out
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// drawn is a stationary series with the noise of the recording: blocks of its
// steady times in a random order, each time again. What the recording's level
// did over many blocks is gone, its distribution and the correlation within a
// block stay; the mean is known.
func (r recording) drawn(n, block int, seed uint64) (seconds []float64, truth float64) {
	steady := r.seconds[len(r.seconds)/5:]
	rng := source(seed)
	seconds = []float64{r.seconds[0]}
	for len(seconds) < n {
		from := rng.IntN(len(steady) - block + 1)
		seconds = append(seconds, steady[from:][:block]...)
	}
	// Blocks that begin anywhere hold the middle more often than the ends.
	for from := range len(steady) - block + 1 {
		truth += mean(steady[from:][:block]) / float64(len(steady)-block+1)
	}
	return seconds[:n], truth
}

// replay asks the rule along a series and returns where it stops, and whether
// for being precise.
func replay(seconds []float64, rule Rule) (Summary, bool) {
	var s Series
	asked := 0
	for i, x := range seconds {
		s.Add(x)
		if i-asked < i/100 {
			continue
		}
		asked = i
		j := s.BriefSummary()
		if v := rule.Judge(j, 0); v.Stop {
			return j, v.Reason == Precise
		}
	}
	return s.BriefSummary(), false
}

// calm reports whether the level of a recording holds: the means of its
// eighths, after the first, differ by no more than 2 % of the mean (standard
// deviation). The others were slowed in spells by other work on the machine:
// no stretch of seconds knows the mean of minutes there.
func (r recording) calm() bool {
	n := len(r.seconds) / 8
	var level moments
	for i := 1; i < 8; i++ {
		level = level.plus(moments{1, mean(r.seconds[i*n:][:n]), 0})
	}
	return math.Sqrt(level.m2/(level.n-1)) <= 0.02*level.mean
}

// The bars of the stop rule on the noise of real iterations, and what is left
// of them where the machine was not the probe's alone.
func TestStopRuleOnRecordings(t *testing.T) {
	var calm, all []stop
	long := 0
	for i, r := range recorded(t) {
		if len(r.seconds) >= 500 {
			long++
		}
		var stops []stop
		runs := uint64(6)
		if r.calm() {
			runs = 32
		}
		for k := range runs {
			seconds, truth := r.drawn(5000, 25, k+1000*uint64(i))
			if s, ok := replay(seconds, DefaultRule()); ok {
				stops = append(stops, stop{s, truth})
			}
		}
		if len(stops) > 0 {
			t.Logf("%-20s calm %-5v %s", r.name, r.calm(), scoreOf(stops))
		}
		all = append(all, stops...)
		if r.calm() {
			calm = append(calm, stops...)
		}
	}
	if long < 8 || len(calm) < 3*32 {
		t.Fatalf("%d recordings of 500 iterations, %d stops on calm ones", long, len(calm))
	}
	s := scoreOf(calm)
	t.Logf("calm: %s", s)
	if s.coverage < 0.85 || s.within1 < 0.95 || s.half > 4*s.miss {
		t.Errorf("calm recordings: %s", s)
	}
	s = scoreOf(all)
	t.Logf("all: %s", s)
	if s.coverage < 0.75 || s.within1 < 0.8 || s.half > 4*s.miss {
		t.Errorf("all recordings: %s", s)
	}
}

// A real loop that prepares its input 25 batches at a time: the period is
// found from every beginning, and never stopped at before three of it passed.
func TestRecordedStallsAreFound(t *testing.T) {
	for _, r := range recorded(t) {
		if r.name != "loader-chunks" {
			continue
		}
		found := 0
		const begins = 20
		for k := range begins {
			x := r.seconds[k*37:][:200]
			s := Summarise(x)
			if s.Period >= 23 && s.Period <= 27 {
				found++
			}
			if got, ok := replay(x, DefaultRule()); ok && got.N < minPeriods*25 {
				t.Errorf("from %d: precise after %d iterations, less than three periods", k*37, got.N)
			}
		}
		if found < begins/2 {
			t.Errorf("a stall every 25 iterations found from %d of %d beginnings", found, begins)
		}
	}
}
