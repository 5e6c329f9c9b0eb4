package main

import (
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"sweetspot/data/catalog"
	"sweetspot/engine/profile"
	"sweetspot/probes/request"
)

// parse is what the words of probe ask for.
func parse(t interface{ Fatal(...any) }, argv []string) request.Request {
	var f probeFlags
	fl := pflag.NewFlagSet("probe", pflag.ContinueOnError)
	f.register(fl)
	if err := fl.Parse(argv); err != nil {
		t.Fatal(err)
	}
	if err := f.check(fl, fl.Args()); err != nil {
		t.Fatal(err)
	}
	r, err := f.request(fl.Args())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.place(&r, &profile.Set{VMTypes: catalog.Builtin()}); err != nil {
		t.Fatal(err)
	}
	return r
}

// What a request says as words is the same request.
func TestRequestReadsBack(t *testing.T) {
	for _, argv := range [][]string{
		{"--", "python3", "train.py", "--epochs", "3", "--", "-x"},
		{"--model=nets.py:net", "--input=3x32x32", "--batch=32,64", "--precision=fp32,int8", "--prune=0,30%", "--mode=infer",
			"--eval=s.py:set", "--layers"},
		{"--model=nets.py:net", "--input=3x32x32", "--prune=0,0.3;conv1=0:0.6:0.1,conv2=0.5", "--mode=infer"},
		{"--model=example:fashion-cnn", "--repeat=3", "--host=a@b:22", "--host=here", "--host=c", "--vm=p3.2xlarge",
			"--max-cost=$2", "--max-seconds=90s", "--detach", "--yes"},
		{"--pattern=^(?P<step>\\d+), ", "--no-metadata", "--price=0.25", "--keep-running", "--", "./a.out"},
	} {
		r := parse(t, argv)
		if again := parse(t, r.Argv()); !reflect.DeepEqual(r, again) {
			t.Errorf("%q\n%+v\n%+v", argv, r, again)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[ -~]{1,12}`), 1, 5).Draw(t, "command")
		r := parse(t, append([]string{"--"}, words...))
		if again := parse(t, r.Argv()); !slices.Equal(again.Command, words) || !reflect.DeepEqual(r, again) {
			t.Fatalf("%q became %q", words, again.Command)
		}
	})
}
