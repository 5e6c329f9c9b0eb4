package document

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/launch"
	"sweetspot/data/report"
	"sweetspot/data/texttable"
	"sweetspot/data/wording"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// The groups of what Explore shows.
const (
	Pick    = "pick"
	Launch  = "launch"
	Report  = "report"
	Ranking = "ranking"
)

// The formats of a report and of a ranking with its frontiers.
const (
	ReportHTML     = "html"
	ReportMarkdown = "report-md"
	RankingYAML    = "ranking-yaml"
	RankingCSV     = "ranking-csv"
	RankingJSON    = "ranking-json"
)

// OfAll are the formats that are of a whole ranking, not of one candidate.
var OfAll = []string{ReportHTML, ReportMarkdown, RankingYAML, RankingCSV, RankingJSON}

// titles are the names of formats for people.
var titles = map[string]string{
	string(contract.JSON): "JSON", string(contract.YAML): "YAML", string(contract.CSV): "CSV", string(contract.Markdown): "Markdown",
	string(launch.SkyPilot): "SkyPilot", string(launch.AWS): "AWS CLI", string(launch.GCloud): "gcloud", string(launch.Az): "az",
	string(launch.Terraform): "Terraform", string(launch.Slurm): "Slurm", string(launch.Kubernetes): "Kubernetes",
	".json": "JSON", ".csv": "CSV", ".txt": "text",
}

// OfPick lists the forms of a pick: as data, and as what launches it.
func OfPick(p contract.Pick) []Document {
	stem := launch.Slug(p.Candidate.Model)
	var out []Document
	for _, f := range []contract.Format{contract.YAML, contract.JSON, contract.CSV, contract.Markdown} {
		out = append(out, Document{
			Group: Pick, Title: titles[string(f)], Format: string(f), Name: stem + f.Extension(),
			files: single(func(w io.Writer) error { return p.Write(w, f) }),
		})
	}
	for _, f := range launch.Formats {
		name := stem + "-" + string(f) + f.Extension()
		if f == launch.Terraform || f == launch.Slurm { // the extension says it
			name = stem + f.Extension()
		}
		out = append(out, Document{
			Group: Launch, Title: titles[string(f)], Format: string(f), Name: name, Why: launch.Fits(p, f),
			files: single(func(w io.Writer) error { return launch.Write(w, p, f) }),
		})
	}
	return out
}

// OfRanking lists the forms of a whole ranking with its frontiers: as a report
// made at a time by a version of the program, and as data. tested may be nil.
func OfRanking(r *rank.Result, tested validate.Tested, at time.Time, version string) []Document {
	var why error
	if len(r.Order) == 0 {
		why = fmt.Errorf("nothing to report: %s", wording.WhyNothing(r))
	}
	stem := launch.Slug(r.Query.Model)
	made := func() (*report.Report, error) { return report.New(r, tested, at, version) }
	all := func() contract.Ranking { return contract.NewRanking(r, tested, at) }
	return []Document{
		{Group: Report, Title: "HTML", Format: ReportHTML, Name: stem + "-report.html", Why: why, Outline: outline(made), files: func(name string) ([]File, error) { return page(made, name) }},
		{Group: Report, Title: "Markdown", Format: ReportMarkdown, Name: stem + "-report.md", Why: why, files: func(name string) ([]File, error) { return illustrated(made, name) }},
		{Group: Ranking, Title: titles[string(contract.YAML)], Format: RankingYAML, Name: stem + "-ranking.yaml", Outline: tooLong(r), files: single(func(w io.Writer) error { return contract.WriteYAML(w, all()) })},
		{Group: Ranking, Title: titles[".csv"], Format: RankingCSV, Name: stem + "-ranking.csv", Outline: tooLong(r), files: single(func(w io.Writer) error { return contract.WriteCSV(w, all().Candidates) })},
		{Group: Ranking, Title: titles[".json"], Format: RankingJSON, Name: stem + "-ranking.json", Outline: tooLong(r), files: single(func(w io.Writer) error { return contract.WriteJSON(w, all()) })},
	}
}

// OfFleet lists the forms of a fleet, which is found when the first is written.
func OfFleet(find func() (contract.Fleet, error)) []Document {
	return found("fleet", fleetWriters, find)
}

// OfTraffic lists the forms of a traffic, which is found when the first is written.
func OfTraffic(find func() (contract.Traffic, error)) []Document {
	return found("traffic", trafficWriters, find)
}

// found lists the forms of what takes long to find and is found once.
func found[T any](stem string, writers map[string]func(io.Writer, T) error, find func() (T, error)) []Document {
	once := sync.OnceValues(find)
	var out []Document
	for _, extension := range []string{".json", ".csv", ".txt"} {
		out = append(out, Document{Group: stem, Title: titles[extension], Name: stem + extension, files: single(func(w io.Writer) error {
			v, err := once()
			if err != nil {
				return err
			}
			return writers[extension](w, v)
		})})
	}
	return out
}

// single is a document of one file.
func single(write func(io.Writer) error) func(name string) ([]File, error) {
	return func(name string) ([]File, error) { return []File{{name, write}}, nil }
}

// page is a report as one file.
func page(made func() (*report.Report, error), name string) ([]File, error) {
	r, err := made()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := r.HTML(&text); err != nil {
		return nil, err
	}
	return []File{{name, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}}}, nil
}

// illustrated is a report with its pictures beside it.
func illustrated(made func() (*report.Report, error), name string) ([]File, error) {
	r, err := made()
	if err != nil {
		return nil, err
	}
	out := []File{{name, func(w io.Writer) error { return r.Markdown(w, name) }}}
	for _, p := range r.Pictures {
		out = append(out, File{p.File(name), p.PNG})
	}
	return out, nil
}

// longest is the most candidates whose ranking is worth looking at as a text.
const longest = 5000

// tooLong describes a ranking that is too long to look at.
func tooLong(r *rank.Result) func() (string, error) {
	if r.Space.Len() <= longest {
		return nil
	}
	return func() (string, error) {
		return quantity.Count(float64(r.Space.Len())) + " candidates, the feasible ones first: too many to show.\n", nil
	}
}

// fleetWriters write a fleet by the extension of the file it goes to.
var fleetWriters = map[string]func(io.Writer, contract.Fleet) error{
	".json": func(w io.Writer, f contract.Fleet) error { return contract.WriteJSON(w, f) },
	".csv":  contract.WriteFleetCSV,
	".txt":  texttable.Fleet,
}

// trafficWriters write a traffic by the extension of the file it goes to.
var trafficWriters = map[string]func(io.Writer, contract.Traffic) error{
	".json": func(w io.Writer, t contract.Traffic) error { return contract.WriteJSON(w, t) },
	".csv":  contract.WriteTrafficCSV,
	".txt":  texttable.Traffic,
}
