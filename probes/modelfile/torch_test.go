package modelfile

import (
	"archive/zip"
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// zipped is an archive of files, given as name and content in turn.
func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// stateDict is a pickle of one tensor, weight, of so many values.
func stateDict(name, count string) string {
	return "\x80\x02}q\x00X" + length(name) + name + "ctorch._utils\n_rebuild_tensor_v2\n" +
		"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu" +
		count + "tQK\x00(" + count + "t(K\x01t\x89ccollections\nOrderedDict\n)RtRs."
}

func length(s string) string { return string([]byte{byte(len(s)), 0, 0, 0}) }

func TestPickles(t *testing.T) {
	f, err := parseBytes(zipped(t, "x/data.pkl", stateDict("fc.weight", "K\x0c")))
	if err != nil || !is(f.Params, 12) {
		t.Errorf("%v %s", err, shown(f))
	}
	f, err = parseBytes(zipped(t, "x/data.pkl", stateDict("bn.running_mean", "K\x0c")))
	if err != nil || f.Params != nil {
		t.Errorf("a statistic counts: %v %s", err, shown(f))
	}
	for name, c := range map[string]struct{ pickle, why string }{
		"code is not run":        {"\x80\x02cos\nsystem\nX\x05\x00\x00\x00falseq\x00\x85R.", ""},
		"endless text":           {"\x80\x02X\xff\xff\xff\xff.", "damaged or unknown pickle"},
		"huge text":              {"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "damaged or unknown pickle"},
		"empty stack":            {"\x80\x02.", "damaged or unknown pickle"},
		"no mark":                {"\x80\x02t.", "damaged or unknown pickle"},
		"unknown memo":           {"\x80\x02h\x07.", "damaged or unknown pickle"},
		"negative size":          {stateDict("w", "J\xff\xff\xff\xff"), ""},
		"too many objects":       {"\x80\x02" + strings.Repeat("N0", maxObjects/2+1) + "N.", "two million parts"},
		"a dict that has itself": {"\x80\x02}q\x00X\x05\x00\x00\x00modelh\x00s.", ""},
	} {
		f, err := parseBytes(zipped(t, "x/data.pkl", c.pickle))
		if c.why == "" {
			if err != nil || f.Params != nil {
				t.Errorf("%s: %v %s", name, err, shown(f))
			}
		} else if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}

func parseBytes(raw []byte) (Facts, error) { return parse(bytes.NewReader(raw), int64(len(raw))) }

func TestLongNumbers(t *testing.T) {
	for in, want := range map[string]int64{
		"\x8a\x00": 0, "\x8a\x01\xff": -1, "\x8a\x02\xff\x00": 255, "\x8a\x03\x00\x00\x80": -8388608, "J\xfe\xff\xff\xff": -2,
		"M\x01\x02": 513,
		"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f": math.MaxInt64, "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80": math.MinInt64,
	} {
		if got, err := unpickle([]byte("\x80\x02" + in + ".")); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %d", in, got, err, want)
		}
	}
}

// A zip archive may claim little and hold much, or be none.
func TestArchives(t *testing.T) {
	bomb := zipped(t, "x/data.pkl", strings.Repeat("\x00", maxPickle+1))
	if len(bomb) > maxPickle/10 {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	for name, c := range map[string]struct {
		raw []byte
		why string
	}{
		"bomb":           {bomb, "two million parts or 256 MiB"},
		"other archive":  {zipped(t, "word/document.xml", "<x/>"), "not a known kind of model file"},
		"compiled":       {zipped(t, "m/archive_format", "pt2", "m/data/aotinductor/model/a.so", "x"), "AOTInductor"},
		"cut off":        {zipped(t, "x/data.pkl", "\x80\x02N.")[:50], "damaged zip archive"},
		"program cut":    {zipped(t, "serialized_exported_program.json", `{"graph_module":`), "cannot be read"},
		"another's JSON": {zipped(t, "m/models/model.json", `{"a":1}`), "cannot be read"},
	} {
		if f, err := parseBytes(c.raw); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v %s, want %q", name, err, shown(f), c.why)
		}
	}
	// A byte of a file inside that fell over: its checksum tells.
	raw := zipped(t, "x/data.pkl", stateDict("fc.weight", "K\x0c"))
	raw[60] ^= 0xff
	if f, err := parseBytes(raw); err == nil {
		t.Errorf("a damaged archive is read: %s", shown(f))
	}
}

// checkFacts holds whatever was read to what facts may be.
func checkFacts(t *testing.T, f Facts, err error) {
	t.Helper()
	if err != nil {
		if slices.ContainsFunc([]rune(err.Error()), unicode.IsControl) {
			t.Fatalf("control characters in %q", err)
		}
		return
	}
	f.check()
	values := []*float64{f.Params, f.ParamBytes, f.FLOPsPerUnit, f.ActivationBytes, f.MemoryFloorBytes(7, "fp16")}
	for _, v := range values {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0) || *v < 0) {
			t.Fatalf("%g in %s", *v, shown(f))
		}
	}
	for _, s := range f.Warnings {
		if strings.ContainsFunc(s, unicode.IsControl) {
			t.Fatalf("control characters in %q", s)
		}
	}
	for _, d := range f.Input {
		if d < 0 {
			t.Fatalf("input %v", f.Input)
		}
	}
}

func FuzzTorch(f *testing.F) {
	f.Add([]byte(stateDict("fc.weight", "K\x0c")))
	f.Add([]byte("\x80\x02c__torch__\nNet\n)\x81}(X\x01\x00\x00\x00wK\x01X\x01\x00\x00\x00mh\x00ub."))
	f.Add([]byte("\x80\x04\x95\x01\x00\x00\x00\x00\x00\x00\x00\x8c\x01a\x94\x8f(K\x01\x90]\x94(K\x02e\x8a\x09aaaaaaaaa."))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, script := range []bool{false, true} {
			files := []string{"x/data.pkl", string(in)}
			if script {
				files = append(files, "x/constants.pkl", "x", "x/code/__torch__.py",
					"class Net(Module):\n  __parameters__ = [\"w\", ]\n")
			}
			facts, err := parseBytes(zipped(t, files...))
			checkFacts(t, facts, err)
		}
	})
}
