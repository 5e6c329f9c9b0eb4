package convert

import (
	"cmp"
	_ "embed"
	"path"
	"strconv"
	"strings"
	"sync"

	"sweetspot/engine/profile"
)

// profetWork is what one image takes PROFET's networks, by the size of the images,
// counted from their definitions (ddps-lab/profet, data_generation/workload/model_info.py,
// commit ace81bf): convolutions and dense layers, with 10, 100 and 1000 classes as its
// data sets have.
//
//go:embed profet_work.csv
var profetWork string

// layersOf are the convolutions and dense layers of the networks of PROFET and Zeus.
var layersOf = map[string]float64{
	"LeNet5": 5, "MNIST_CNN": 3, "AlexNet": 8, "VGG11": 11, "VGG16": 16, "ResNet18": 21, "ResNet50": 54,
	"MobileNetV2": 53, "resnet50": 54,
}

// zeusWork is that of Zeus' ResNet-50, at 224 pixels, as timm counts it.
var zeusWork = map[string]profile.Work{
	"resnet50": {FLOPs: new(8.2e9), Activations: new(11.11e6), Params: new(25.56e6)},
}

var profetWorks = sync.OnceValue(func() map[string]profile.Work {
	out := map[string]profile.Work{}
	for line := range strings.Lines(profetWork) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		var v [3]float64
		for i := range v {
			v[i], _ = strconv.ParseFloat(cells[2+i], 64)
		}
		out[cells[0]+" "+cells[1]+"dataset"] = profile.Work{FLOPs: &v[0], Activations: &v[1], Params: &v[2]}
	}
	return out
})

// trainSizes are the images of the data sets of Zeus.
var trainSizes = map[string]float64{"imagenet": 1_281_167}

// TrainSize is the number of images in a run's training set; nil where it is not known.
func TrainSize(r profile.Run) *float64 {
	if n, known := trainSizes[r.Dataset]; known && r.TrainSize == nil {
		return &n
	}
	return r.TrainSize
}

// Network is the name of a run's network, without its data set.
func Network(r profile.Run) string {
	network, _, _ := strings.Cut(cmp.Or(r.Variant.Network(), path.Base(r.Model)), " on ")
	return network
}

// WorkOf is the work of a run of a set: its own, else as it is known of the networks of
// PROFET and Zeus. It is zero where it is not known.
func WorkOf(r profile.Run) profile.Work {
	if r.Work.FLOPs != nil {
		return r.Work
	}
	network := Network(r)
	w, known := profetWorks()[network+" "+r.Dataset]
	if !known {
		w, known = zeusWork[network]
	}
	if n, has := layersOf[network]; has && known {
		w.Layers = &n
	}
	return w
}
