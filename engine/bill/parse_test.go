package bill

import (
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	b, err := Parse("startup=90s disk=0.5TiB, disk-price=$0.08 egress=50 egress-price=0.09\tinterruptions=20%/month " +
		"checkpoint=30m electricity-price=$0.12/kWh pue=1.3")
	if err != nil {
		t.Fatal(err)
	}
	if b.StartupS != 90 || b.DiskGiB != 512 || b.DiskUSDPerGiBMonth != 0.08 || b.EgressUSD() != 4.5 ||
		*b.CheckpointS != 1800 || b.ElectricityUSDPerKWh != 0.12 || b.PUE != 1.3 {
		t.Errorf("read %+v", b)
	}
	if got, want := *b.Interruptions, -math.Log(0.8)/730; !near(got, want, 1e-12) {
		t.Errorf("20 %% a month are %g an hour, want %g", got, want)
	}
	if b, err := Parse(" "); err != nil || !b.IsZero() || b.String() != "" {
		t.Errorf("nothing: %+v, %v", b, err)
	}
	if got := (Bill{Interruptions: new(0.0), StartupS: 90}).String(); got != "startup=90s interruptions=0/h" {
		t.Errorf("written as %q", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for words, want := range map[string]string{
		"boot=90s":                           "is not a part of a bill",
		"startup":                            "is not a duration",
		"startup=NaNs":                       "is not a duration",
		"startup=-5s":                        "is not above zero",
		"startup=90s startup=1m":             "given twice",
		"disk=200GiB":                        "belong together",
		"egress-price=0.09":                  "belong together",
		"disk=200GB disk-price=1":            "is not an amount of data",
		"disk=NaN disk-price=1":              "is not an amount of data",
		"egress=1e300GiB egress-price=1":     "is not an amount of data",
		"disk=1 disk-price=-1":               "is not a number from 0",
		"interruptions=0.05":                 "is not a rate",
		"interruptions=100%/day":             "surely taken away",
		"interruptions=x/h":                  "is not a rate",
		"checkpoint=0s":                      "is not above zero",
		"checkpoint=1e300d":                  "is not a duration",
		"pue=1.3":                            "without electricity-price",
		"electricity-price=1 pue=0.9":        "from 1 to 10",
		"electricity-price=1/MWh":            "is not a number",
		"interruptions=\x1b[2J":              "is not a rate",
		"checkpoint=30m\nstartup=1s\n\nsize": "is not a part of a bill",
	} {
		_, err := Parse(words)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v, want %q", words, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Words)
	f.Add("interruptions=20%/month,checkpoint=1d12h startup=0")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(b.String())
		if err != nil || again.String() != b.String() {
			t.Fatalf("%q is written as %q and read back as %q: %v", s, b.String(), again.String(), err)
		}
		for _, v := range []float64{b.StartupS, b.DiskUSDPerHour(), b.EgressUSD()} {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Fatalf("%q: %+v", s, b)
			}
		}
	})
}
