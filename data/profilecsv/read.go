package profilecsv

import (
	"errors"
	"io"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
)

// Read returns the runs of a Profile CSV in file order and the models they are
// of. Errors about the content are of type [*textfile.Error].
func Read(r io.Reader) (*profile.Set, error) {
	rows := textfile.NewRows(r)
	header, err := rows.Next()
	if errors.Is(err, io.EOF) {
		return nil, textfile.Wrong(1, "the file is empty; a Profile CSV starts with a row of column names")
	}
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(header)
	if err != nil {
		return nil, err
	}

	set := &profile.Set{}
	models := modelIndex{set: set, at: map[string]int{}}
	for row := 2; ; row++ {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return set, nil
		}
		if err != nil {
			return nil, err
		}
		if row > MaxRows+1 {
			return nil, textfile.Wrong(row, "more than %d rows; split the file", MaxRows)
		}
		rd := reader{row: row, cells: cells, columns: columns}
		model, run := rd.model(), rd.run()
		if rd.err != nil {
			return nil, rd.err
		}
		models.add(model)
		set.Runs = append(set.Runs, run)
	}
}

// columnsOf maps column names to their positions. Unknown names are ignored.
func columnsOf(header []string) (map[string]int, error) {
	columns := make(map[string]int, len(header))
	for i, cell := range header {
		name := headerName(cell)
		if !known(name) {
			continue
		}
		if _, twice := columns[name]; twice {
			return nil, &textfile.Error{Row: 1, Column: name, What: "the column is duplicated; remove one"}
		}
		columns[name] = i
	}
	for _, name := range required {
		if _, ok := columns[name]; !ok {
			return nil, &textfile.Error{Row: 1, Column: name, What: "the column is missing; is this a Profile CSV?"}
		}
	}
	return columns, nil
}

// headerName normalises what spreadsheets do to a header.
func headerName(cell string) string { return strings.ToLower(strings.TrimSpace(cell)) }

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
