package document

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/texttable"
	"sweetspot/data/wording"
	"sweetspot/engine/plaintext"
)

// The groups of forms, by what is written.
const (
	Pick    = "pick"
	Launch  = "launch" // what launches a pick
	Report  = "report"
	Ranking = "ranking"
	Fleet   = "fleet"
	Traffic = "traffic"
	LLM     = "traffic llm"
	Mix     = "traffic mix"
	Loads   = "traffic loads"
	Runs    = "runs"
)

// Form is a format of something that can be written.
type Form struct {
	Group     string
	Format    string // its name for --format
	Title     string // for people
	Extension string // of its file, with the dot
	Also      string // another name and extension, without the dot
	Beside    bool   // pictures are written beside it, so that it needs a file

	make maker
}

// maker makes a form of a subject.
type maker func(Subject) made

// made is what a form makes of a subject; without files it is not offered.
type made struct {
	stem    string // of the file's name
	why     error
	outline func() (string, error)
	files   func(name string) ([]File, error)
}

// forms is the registry: all forms, in the order in which they are offered.
// Flags, completions, help, the export dialog and the documentation
// follow from this list. A form is added by a line here, a launcher by a line in
// [launch.Formats].
var forms = slices.Concat(
	[]Form{
		{Group: Pick, Format: "yaml", Title: "YAML", Extension: ".yaml", Also: "yml", make: ofPick(asYAML)},
		{Group: Pick, Format: "json", Title: "JSON", Extension: ".json", make: ofPick(asJSON)},
		{Group: Pick, Format: "csv", Title: "CSV", Extension: ".csv", make: ofPick(contract.WritePickCSV)},
		{Group: Pick, Format: "markdown", Title: "Markdown", Extension: ".md", Also: "md", make: ofPick(markdown)},
	},
	launches(),
	[]Form{
		{Group: Report, Format: "html", Title: "HTML", Extension: ".html", Also: "htm", make: ofReport(page, outline)},
		{Group: Report, Format: "report-md", Title: "Markdown", Extension: ".md", Beside: true,
			make: ofReport(illustrated, nil)},
		{Group: Ranking, Format: "ranking-yaml", Title: "YAML", Extension: ".yaml",
			make: ofRanking((*contract.Listing).WriteYAML)},
		{Group: Ranking, Format: "ranking-csv", Title: "CSV", Extension: ".csv",
			make: ofRanking((*contract.Listing).WriteCSV)},
		{Group: Ranking, Format: "ranking-json", Title: "JSON", Extension: ".json",
			make: ofRanking((*contract.Listing).WriteJSON)},
		{Group: Fleet, Format: "json", Title: "JSON", Extension: ".json", make: ofFleet(asJSON)},
		{Group: Fleet, Format: "csv", Title: "CSV", Extension: ".csv", make: ofFleet(contract.WriteFleetCSV)},
		{Group: Fleet, Format: "text", Title: "text", Extension: ".txt", make: ofFleet(texttable.Fleet)},
		{Group: Traffic, Format: "json", Title: "JSON", Extension: ".json", make: ofTraffic(asJSON)},
		{Group: Traffic, Format: "csv", Title: "CSV", Extension: ".csv", make: ofTraffic(contract.WriteTrafficCSV)},
		{Group: Traffic, Format: "text", Title: "text", Extension: ".txt", make: ofTraffic(texttable.Traffic)},
		{Group: LLM, Format: "json", Title: "JSON", Extension: ".json", make: ofLLM(asJSON)},
		{Group: LLM, Format: "csv", Title: "CSV", Extension: ".csv", make: ofLLM(contract.WriteLLMCSV)},
		{Group: LLM, Format: "text", Title: "text", Extension: ".txt", make: ofLLM(texttable.LLM)},
		{Group: Mix, Format: "json", Title: "JSON", Extension: ".json", make: ofMix(asJSON)},
		{Group: Mix, Format: "csv", Title: "CSV", Extension: ".csv", make: ofMix(contract.WriteMixCSV)},
		{Group: Mix, Format: "text", Title: "text", Extension: ".txt", make: ofMix(texttable.Mix)},
		{Group: Loads, Format: "json", Title: "JSON", Extension: ".json", make: ofLoads(asJSON)},
		{Group: Loads, Format: "csv", Title: "CSV", Extension: ".csv", make: ofLoads(contract.WriteLoadsCSV)},
		{Group: Loads, Format: "text", Title: "text", Extension: ".txt", make: ofLoads(texttable.Loads)},
		{Group: Runs, Format: "csv", Title: "Profile CSV", Extension: ".csv", make: ofRuns(Recorded.writeCSV)},
		{Group: Runs, Format: "json", Title: "JSON", Extension: ".json", make: ofRuns(Recorded.writeJSON)},
	},
)

// Forms are the forms of the groups.
func Forms(groups ...string) []Form {
	return slices.DeleteFunc(slices.Clone(forms), func(f Form) bool { return !slices.Contains(groups, f.Group) })
}

// Formats are the names of the groups' forms.
func Formats(groups ...string) []string { return names(Forms(groups...)) }

func names(of []Form) (out []string) {
	for _, f := range of {
		out = append(out, f.Format)
	}
	return out
}

// Named finds a form of the groups by its name.
func Named(name string, groups ...string) (Form, error) {
	wanted := strings.ToLower(name)
	for _, f := range Forms(groups...) {
		if wanted == f.Format || wanted != "" && wanted == f.Also {
			return f, nil
		}
	}
	return Form{}, fmt.Errorf("format %s is not one of %s", plaintext.Quote(name), strings.Join(Formats(groups...), ", "))
}

// ByFile finds a form by a file's extension, in the first of the groups that has
// one. If that group has several, the error names them.
func ByFile(path string, groups ...string) (Form, error) {
	extension := strings.ToLower(filepath.Ext(path))
	for _, group := range groups {
		found := slices.DeleteFunc(Forms(group),
			func(f Form) bool { return extension != f.Extension && extension != "."+f.Also })
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return Form{}, fmt.Errorf("a %s file may be of %s: say which with --format", extension,
				wording.Either(names(found)))
		}
	}
	return Form{}, fmt.Errorf("no format has files of that name, %s; name one with --format", plaintext.Quote(extension))
}

// name is the default name of the form's file. A launch file has the tool in its
// name unless its extension is the tool's own.
func (f Form) name(stem string) string {
	switch f.Group {
	case Launch:
		if of, err := ByFile(f.Extension, Pick, Launch); err != nil || of.Format != f.Format {
			return stem + "-" + f.Format + f.Extension
		}
	case Report, Ranking:
		stem += "-" + f.Group
	}
	return stem + f.Extension
}

func asJSON[T any](w io.Writer, v T) error { return contract.WriteJSON(w, v) }

func asYAML[T any](w io.Writer, v T) error { return contract.WriteYAML(w, v) }
