package store

import "sweetspot/engine/profile"

// cleanSet cleans all text of a set. What this program writes is clean, but
// any program can write to the file, and what it wrote would reach the
// terminal.
func cleanSet(set *profile.Set) {
	for i := range set.Models {
		m := &set.Models[i]
		cleanAll(&m.Name, &m.Dataset, &m.Task, &m.Unit, &m.SourceFile)
	}
	for i := range set.Runs {
		cleanRun(&set.Runs[i])
	}
	for i := range set.VMTypes {
		v := &set.VMTypes[i]
		cleanAll(&v.Cloud, &v.Region, &v.InstanceType, &v.GPU)
		for j := range v.Prices {
			p := &v.Prices[j]
			cleanAll(&p.Source, &p.AsOf)
			cleanAll(&p.Purchase)
		}
	}
}

func cleanRun(r *profile.Run) {
	cleanAll(&r.Model, &r.Dataset, &r.Unit, &r.Variant.Name, &r.Variant.Precision, &r.Cloud, &r.Region, &r.InstanceType,
		&r.GPU, &r.EnergyOf, &r.Source, &r.AsOf, &r.Note)
	cleanAll(&r.Mode)
	cleanAll(&r.Status)
	if p := r.Variant.Pruning; p != nil {
		cleanAll(&p.Kind)
		for layer, ratio := range p.Layers {
			if plain := clean(layer); plain != layer {
				delete(p.Layers, layer)
				p.Layers[plain] = ratio
			}
		}
	}
	if r.Accuracy != nil {
		cleanAll(&r.Accuracy.Metric)
	}
	for i := range r.Validations {
		cleanAll(&r.Validations[i].Metric)
	}
	for i := range r.Pauses {
		cleanAll(&r.Pauses[i].Kind)
	}
}

func cleanAll[T ~string](texts ...*T) {
	for _, t := range texts {
		*t = T(clean(string(*t)))
	}
}
