package document

import (
	"os"
	"strings"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/data/internal/exampleranking"
)

// named are forms by the name of a file, "" for none.
func TestFormsOfFiles(t *testing.T) {
	groups := []string{Pick, Launch, Report, Ranking}
	for file, want := range map[string]string{
		"a.tf": "terraform", "dir/A.SBATCH": "slurm", "a.yaml": "yaml", "a.yml": "yaml", "a.JSON": "json", "a.csv": "csv",
		"a.md": "markdown", "a.htm": "html", "a": "", "a.pdf": "",
	} {
		if f, err := ByFile(file, groups...); f.Format != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", file, f.Format, err)
		}
	}
	if _, err := ByFile("a.sh", groups...); err == nil ||
		!strings.Contains(err.Error(), "aws, gcloud or az: say which with --format") {
		t.Error(err)
	}
	if f, err := ByFile("runs.csv", Runs); err != nil || f.Group != Runs {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestFormsByName(t *testing.T) {
	groups := []string{Pick, Launch, Report, Ranking}
	seen := map[string]bool{}
	for _, f := range Forms(groups...) {
		if got, err := Named(strings.ToUpper(f.Format), groups...); err != nil || got.Format != f.Format ||
			got.Group != f.Group {
			t.Errorf("%s: %+v, %v", f.Format, got, err)
		}
		if seen[f.Format] {
			t.Errorf("two forms are called %s", f.Format)
		}
		seen[f.Format] = true
	}
	for _, name := range []string{"pulumi", ""} {
		if _, err := Named(name, groups...); err == nil ||
			!strings.Contains(err.Error(), "yaml, json, csv, markdown, skypilot, aws, gcloud") {
			t.Errorf("a wrong word must name the right ones: %v", err)
		}
	}
}

// The names of the files of all forms, none twice.
func TestNamesOfFiles(t *testing.T) {
	p := contract.NewPick(exampleranking.New(), 0, pickedAt, "1.0", nil)
	var names []string
	for _, d := range Of(Subject{Pick: &p, Ranking: &Ranked{Result: exampleranking.New(), At: pickedAt}}) {
		names = append(names, strings.TrimPrefix(d.Name, "sweetspot-net"))
	}
	want := ".yaml .json .csv .md -skypilot.yaml -aws.sh -gcloud.sh -az.sh .tf .sbatch -kubernetes.yaml " +
		"-report.html -report.md -ranking.yaml -ranking.csv -ranking.json"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s", got)
	}
}

// The table of forms in the documentation is made from the list of forms.
func TestDocumentedForms(t *testing.T) {
	const path, head = "../../docs/exports.md", "| what | formats |\n|---|---|\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := head
	for _, group := range []string{Pick, Launch, Report, Ranking, Fleet, Traffic, LLM, Mix, Loads, Runs} {
		table += "| " + group + " | `" + strings.Join(Formats(group), "`, `") + "` |\n"
	}
	before, after, ok := strings.Cut(string(text), head)
	_, after, ends := strings.Cut(after, "\n\n")
	if !ok || !ends {
		t.Fatalf("no table of forms in %s", path)
	}
	want := before + table + "\n" + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("the table in %s is old: go test ./data/document -update", path)
	}
}
