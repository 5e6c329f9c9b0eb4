package store

import (
	"reflect"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// fillAll gives every field below a value another value than zero.
func fillAll(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fillAll(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillAll(t, v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		one := reflect.New(v.Type().Elem()).Elem()
		fillAll(t, one)
		v.SetMapIndex(reflect.ValueOf("layer"), one)
	case reflect.String:
		v.SetString("word")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Uint8: // a basis
		v.SetUint(uint64(estimate.Published))
	default:
		t.Fatalf("no value for %s", v.Type())
	}
}

// Whatever field a run, a model or a VM type has is kept: one without a column
// would come back empty.
func TestEveryFieldIsKept(t *testing.T) {
	set := &profile.Set{Runs: make([]profile.Run, 1), Models: make([]profile.Model, 1), VMTypes: make([]profile.VMType, 1)}
	r := &set.Runs[0]
	fillAll(t, reflect.ValueOf(r).Elem())
	fillAll(t, reflect.ValueOf(&set.Models[0]).Elem())
	fillAll(t, reflect.ValueOf(&set.VMTypes[0]).Elem())
	r.ID, r.Steady.Low, r.Steady.High, r.NoGPU = 1, 0.25, 0.75, false // it has one
	r.Packages = []string{"numpy==1.26.4", "torch==2.4.1"}
	tuning := r.Tuning
	tuning.Method, tuning.WeightsIn, tuning.LearningIn = "lora", "nf4", "fp32"
	tuning.Parallel, tuning.Sharding = "fsdp", "zero3"
	tuning.Architecture.Name, tuning.Architecture.Source = "", ""                       // the run's
	r.Serving.Input, r.Serving.Output = 512, 64                                         // at least one token
	r.Sizes[0].Of, r.Sizes[0].Per, r.Sizes[0].From = profile.Side, "step", []float64{0} // which begin at once
	r.Untrained[0].Iterations = new(0)                                                  // before the first
	s := openTemp(t)
	_, err := s.Import(t.Context(), set)
	must(t, err)
	if got := loadSet(t, s); !reflect.DeepEqual(got, set) {
		t.Errorf("kept  %+v,\ngiven %+v", got, set)
	}
}

// A machine that has no GPU is another one than a machine of which it is unknown.
func TestNoGPUIsKept(t *testing.T) {
	of := func(model, gpu string, count int, none bool) profile.Run {
		return profile.Run{Model: model, Mode: profile.Train, InstanceType: "desk", Count: 1, GPU: gpu, GPUCount: count,
			NoGPU: none, Basis: estimate.Measured, Status: profile.Done}
	}
	s := openTemp(t)
	_, err := s.Import(t.Context(), &profile.Set{Models: []profile.Model{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Runs: []profile.Run{of("a", "", 0, false), of("b", "", 0, true), of("c", "T4", 2, false)}})
	must(t, err)
	for i, want := range []*int{nil, new(0), new(2)} {
		r := loadSet(t, s).Runs[i]
		record, err := s.Record(t.Context(), r.ID)
		must(t, err)
		m := record.Machine
		if !reflect.DeepEqual(r.GPUs(), want) || m.NoGPU != r.NoGPU || m.GPU != r.GPU || (r.GPU != "") != (i == 2) {
			t.Errorf("run %d of %q: %+v, its machine %+v", r.ID, r.GPU, r.GPUs(), m)
		}
	}
}

func TestColumnOf(t *testing.T) {
	for field, want := range map[string]string{
		"ID": "id", "GPUMemGiB": "gpu_mem_gib", "USDPerHour": "usd_per_hour", "SteadyStdDevS": "steady_stddev_s",
		"VCPUs": "vcpus", "CPUs": "cpus",
		"EnergyJPerUnit": "energy_j_per_unit", "FLOPsPerUnit": "flops_per_unit", "VMTypeID": "vm_type_id", "AtS": "at_s",
		"CUDA": "cuda",
	} {
		if got := columnOf(field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
}
