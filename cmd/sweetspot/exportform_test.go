package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/contract"
	"sweetspot/data/launch"
	"sweetspot/data/shellwords"
)

var fcn = []string{"export", "--model", "seismic/FCN", "--epochs", "13"}

func TestExportWhatLaunches(t *testing.T) {
	for _, f := range launch.Formats {
		out, _, err := execute(t, append(slices.Clone(fcn), "--format", strings.ToUpper(f.Name))...)
		fits := f != launch.GCloud && f != launch.Az
		if fits != (err == nil) || fits != strings.Contains(out, "sweetspot probe --name=seismic/FCN") {
			t.Errorf("%s: %v\n%s", f, err, out)
		}
		if exit := (exitError{}); !fits && (!errors.As(err, &exit) || exit.code != exitUsage ||
			!strings.Contains(err.Error(), "write it as skypilot, aws, terraform, slurm or kubernetes")) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// The command that verifies a pick is one that probe takes.
func TestTheVerifyingCommandIsTaken(t *testing.T) {
	out, _, err := execute(t, append(slices.Clone(fcn), "--format", "slurm")...)
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(out, "# Verify: ")
	line, _, _ = strings.Cut(line, "\n")
	words, err := shellwords.Split(line)
	if err != nil || len(words) < 5 || words[0] != "sweetspot" {
		t.Fatalf("%v in %q", err, line)
	}
	cmd, args, err := newRootCommand().Find(words[1:])
	if err != nil || cmd.Name() != "probe" {
		t.Fatal(cmd.Name(), err)
	}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Args(cmd, cmd.Flags().Args()); err != nil || !slices.Equal(cmd.Flags().Args(), []string{"COMMAND"}) {
		t.Errorf("%v of %q", err, cmd.Flags().Args())
	}
}

func TestFormByTheNameOfItsFile(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"main.tf": `resource "aws_instance"`, "job.sbatch": "#SBATCH", "report.html": "<!DOCTYPE html>",
		"pick.md": "# seismic/FCN", "pick": "schema: 1",
	} {
		file := filepath.Join(dir, name)
		if _, stderr, err := execute(t, append(slices.Clone(fcn), "--out", file)...); err != nil ||
			stderr != "wrote "+file+"\n" {
			t.Errorf("%s: %v, %q", name, err, stderr)
		}
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v in\n%.300s", name, err, text)
		}
	}
}

// What is refused leaves no file behind.
func TestExportRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"--out pick.sh", "say which with --format"}, {"--out pick.pdf", "name one with --format"},
		{"--format pulumi", "skypilot, aws, gcloud, az, terraform, slurm, kubernetes, html, report-md, ranking-yaml"},
		{"--out az.sh --format az", "az launches on azure"}, {"--format html --place 2", "the whole ranking"},
		{"--format report-md", "--out report.md"},
		{"--json --format slurm", "exclude each other"}, {"--runs --format slurm", "csv or json, not as slurm"},
		{"--runs --out runs.html", "csv or json, not as html"},
	} {
		words := strings.Fields(c.args)
		if i := slices.Index(words, "--out"); i >= 0 {
			words[i+1] = filepath.Join(dir, words[i+1])
		}
		_, _, err := execute(t, append(slices.Clone(fcn), words...)...)
		if exit := (exitError{}); !errors.As(err, &exit) || exit.code != exitUsage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestExportMarkdownReportWithPictures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.md")
	args := append(slices.Clone(fcn), "--format", "report-md", "--out", file)
	if _, stderr, err := execute(t, args...); err != nil || stderr != "wrote "+file+" and 3 pictures beside it\n" {
		t.Fatalf("%v, %q", err, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report-time-cost.png", "report-cost-epochs.png", "report-ranking.png"} {
		if !strings.Contains(string(text), "("+name+")") {
			t.Errorf("no %s in\n%s", name, text)
		}
		picture, err := os.Open(filepath.Join(filepath.Dir(file), name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(picture); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = picture.Close()
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, _, err := execute(t, args...); err == nil || !strings.Contains(err.Error(), ".png exists already") {
		t.Errorf("a picture was overwritten: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a report without its pictures was left behind")
	}
	if _, _, err := execute(t, append(args, "--force")...); err != nil {
		t.Error(err)
	}
}

// The ranking is the same in every form, and the same as the rank subcommand's.
func TestExportOfTheRanking(t *testing.T) {
	var asJSON, asYAML, ranked contract.Ranking
	read := func(to any, decode func([]byte, any) error, words ...string) {
		out, _, err := execute(t, words...)
		if err == nil {
			err = decode([]byte(out), to)
		}
		if err != nil {
			t.Fatalf("%v: %v", words, err)
		}
	}
	read(&asJSON, json.Unmarshal, append(slices.Clone(fcn), "--format", "ranking-json")...)
	throughJSON := func(text []byte, to any) error {
		var v any
		err := yaml.Unmarshal(text, &v)
		plain, bad := json.Marshal(v)
		return errors.Join(err, bad, json.Unmarshal(plain, to))
	}
	read(&asYAML, throughJSON, append(slices.Clone(fcn), "--format", "ranking-yaml")...)
	read(&ranked, json.Unmarshal, append([]string{"rank", "--json"}, fcn[1:]...)...)
	if len(asJSON.Candidates) == 0 || len(asJSON.Frontier.Of("time_cost")) == 0 || !reflect.DeepEqual(asJSON, ranked) ||
		!reflect.DeepEqual(asJSON, asYAML) {
		t.Errorf("%d candidates in JSON, %d in YAML, %d ranked", len(asJSON.Candidates), len(asYAML.Candidates),
			len(ranked.Candidates))
	}
	out, _, err := execute(t, append(slices.Clone(fcn), "--format", "ranking-csv")...)
	if rows, bad := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || bad != nil ||
		len(rows) != len(ranked.Candidates)+1 {
		t.Errorf("%d rows, %v, %v", len(rows), err, bad)
	}
}
