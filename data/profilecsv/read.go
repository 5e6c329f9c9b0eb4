package profilecsv

import (
	"io"

	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
)

// Read returns the runs of a Profile CSV in file order and the models they are
// of. Errors about the content are of type [*textfile.Error]. Unknown columns
// are ignored.
func Read(r io.Reader) (*profile.Set, error) {
	rd := reader{textfile.NewTable(r)}
	if err := rd.Header("a Profile CSV", ""); err != nil {
		return nil, err
	}
	if err := rd.Need(required...); err != nil {
		return nil, err
	}
	set := &profile.Set{}
	models := modelIndex{set: set, at: map[string]int{}}
	err := rd.Each(func() error {
		model, run := rd.row()
		models.add(model)
		set.Runs = append(set.Runs, run)
		return nil
	})
	return set, err
}

// modelIndex collects models by name; later rows fill in what earlier ones left
// unknown.
type modelIndex struct {
	set *profile.Set
	at  map[string]int
}

func (x *modelIndex) add(m profile.Model) {
	i, seen := x.at[m.Name]
	if !seen {
		x.at[m.Name] = len(x.set.Models)
		x.set.Models = append(x.set.Models, m)
		return
	}
	have := &x.set.Models[i]
	for _, f := range []struct {
		have *string
		add  string
	}{{&have.Dataset, m.Dataset}, {&have.Task, m.Task}, {&have.Unit, m.Unit}} {
		if *f.have == "" {
			*f.have = f.add
		}
	}
	if have.Params == nil {
		have.Params = m.Params
	}
	if have.FLOPsPerUnit == nil {
		have.FLOPsPerUnit = m.FLOPsPerUnit
	}
}
