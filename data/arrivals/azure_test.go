package arrivals

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"testing"

	"sweetspot/engine/serving"
)

// azure is the shared trace of an LLM service: 57 minutes, 2.6 requests a second.
func azure(t *testing.T) serving.Trace {
	t.Helper()
	file, err := os.Open("../../../shared/data/arrivals/AzureLLMInferenceTrace_code.csv")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("AzureLLMInferenceTrace_code.csv is not beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	a, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	ratio, ok := a.Trace.PeakToMedian(60)
	if a.Trace.Requests() != 8819 || len(a.Trace) != 3437 || a.Format != Timestamps || len(a.Notes) != 1 || !ok ||
		math.Abs(ratio-5.7) > 0.1 {
		t.Fatalf("%d requests in %d s of format %s, peak to median %g, notes %q", a.Trace.Requests(), len(a.Trace), a.Format,
			ratio, a.Notes)
	}
	return a.Trace
}

func compare(t *testing.T, name string, tr serving.Trace) map[serving.Scheme]serving.Outcome {
	t.Helper()
	outcomes, err := serving.Compare(tr, serving.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	by := map[serving.Scheme]serving.Outcome{}
	for _, o := range outcomes {
		by[o.Scheme] = o
		strict, relaxed := o.ViolationShares()
		t.Logf("%s, %-10s cost %.3f of reactive's, over-provisioning %+.3f, violations %.4f (strict %.4f, relaxed "+
			"%.4f), on functions %.4f",
			name, o.Scheme, o.USD/outcomes[0].USD, *o.OverProvisioning, o.ViolationShare(), strict, relaxed, o.FunctionShare())
	}
	return by
}

// What of the study's relations holds on the Azure trace, a hundredfold so that
// more than one VM is needed. As it is, every request becomes a crowd of a
// hundred, and half of the seconds are empty: bursts far shorter than a VM's
// start-up, for which functions serve close to half of the queries. So mixed
// costs more than reactive, though far less than it would to keep so many VMs,
// and exascale's trend overshoots.
func TestRelationsOnAzure(t *testing.T) {
	by := compare(t, "azure × 100", azure(t).Scaled(100))
	reactive, mixed, paragon := by[serving.Reactive], by[serving.Mixed], by[serving.Paragon]
	holds := func(what string, value, least, most float64) {
		if !(value >= least && value <= most) {
			t.Errorf("%s: %.4f, want %g to %g", what, value, least, most)
		}
	}
	holds("over-provisioning of util-aware", *by[serving.UtilAware].OverProvisioning, 0.2, 0.3)
	holds("over-provisioning of exascale, beyond the study's 0.3", *by[serving.Exascale].OverProvisioning, 0.3, 0.65)
	holds("violations of util-aware over reactive's", by[serving.UtilAware].ViolationShare()/reactive.ViolationShare(), 0,
		0.9)
	holds("violations of exascale over reactive's", by[serving.Exascale].ViolationShare()/reactive.ViolationShare(), 0,
		0.7)
	holds("violations of mixed over reactive's", mixed.ViolationShare()/reactive.ViolationShare(), 0, 0.4)
	holds("cost of mixed over reactive's, beyond the study's 1", mixed.USD/reactive.USD, 1.2, 1.6)
	holds("cost of paragon over mixed's", paragon.USD/mixed.USD, 0.7, 0.9)
	holds("violations of paragon", paragon.ViolationShare(), 0, mixed.ViolationShare()+0.002)
}

// The same load by the minute, with independent arrivals as of many users: what
// the trace would look like if a hundred such services shared their VMs.
func TestRelationsOnAzureByTheMinute(t *testing.T) {
	minutes := azure(t).Buckets(60)
	minutes = minutes[:len(minutes)-1] // cut off by the end of the trace
	tr := serving.Poisson(60*len(minutes), func(second int) float64 {
		// From the middle of a minute to that of the next in a straight line.
		at := min(max(float64(second)/60-0.5, 0), float64(len(minutes)-1))
		i := min(int(at), len(minutes)-2)
		share := at - float64(i)
		return 100 * ((1-share)*float64(minutes[i]) + share*float64(minutes[i+1])) / 60
	}, 1)
	by := compare(t, "azure by the minute × 100", tr)
	reactive, mixed, paragon := by[serving.Reactive], by[serving.Mixed], by[serving.Paragon]
	for what, ok := range map[string]bool{
		"util-aware over-provisions by a fifth to 30 %": math.Abs(*by[serving.UtilAware].OverProvisioning-0.25) <= 0.05,
		"exascale over-provisions by more":              *by[serving.Exascale].OverProvisioning > 0.3,
		"mixed cuts violations by 60 %":                 mixed.ViolationShare() <= 0.4*reactive.ViolationShare(),
		"paragon is cheaper than mixed by 5 to 15 %":    math.Abs(1-paragon.USD/mixed.USD-0.1) <= 0.05,
		"paragon violates about as seldom as mixed":     paragon.ViolationShare() <= mixed.ViolationShare()+0.01,
	} {
		if !ok {
			t.Errorf("not so: %s", what)
		}
	}
}
