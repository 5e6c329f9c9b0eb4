package launch

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"sweetspot/data/contract"
	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
)

// hostileNames are what a database from elsewhere may call a model.
var hostileNames = []string{
	"", "it's", `say "hi"`, "two\nlines", "\r\n#SBATCH --wrap=id", "$(touch canary)", "`touch canary`", "${HOME}", "$HOME",
	"$$", `\`, `\'`, `'\''; touch canary; '`,
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "größe 数 🙂", "-rf", "--help", "; touch canary #", "| tee canary",
	"&& touch canary", "%{ if true }x%{ endif }", "$${x}", "$$${x}", "%%{x}",
	"*/ /*", "<<EOF\nEOF", "{{ .Values.x }}", "key: value", "- item", "&anchor", "*alias", "!!python/object", "yes",
	"null", "1e3", "0x1f", "12:30:45", "=", "<<", "~", "@/etc/passwd", "file:///etc/passwd",
	"shellcheck disable=all", "“curly” ‘quotes’", "no\u00a0break", "line\u2028end", "bad \xff utf8",
	"not \ufffe a \uffff character", "\ufeffmark", "\x00nul", "e\u0301", "tab\tbed", "$(NAME) $$(NAME)", "!history",
	"a,b={c}", strings.Repeat("long ", 100),
}

// named is a pick with a text from outside in every place there is.
func named(s string, vms ...contract.Part) contract.Pick {
	p := training("spot", vms...)
	for i := range p.Candidate.Configuration {
		v := &p.Candidate.Configuration[i]
		v.PriceFrom = &s
		if v.Cloud == nil || *v.Cloud != "gcp" {
			v.GPU = &s
		}
	}
	c := &p.Candidate
	c.Model, c.Variant, c.Precision, c.Mode, c.ID, c.Time.Basis, c.Cost.Basis, c.Why, c.Predicted = s, s, &s, s, s, &s,
		&s, &s, true
	c.Accuracy.Metric, c.Accuracy.Basis = s, s
	p.PickedAt, p.EstimatedBy, p.Warnings = s, s, []string{s}
	return p
}

// hosts are VMs that together fit every format.
func hosts() map[string][]contract.Part {
	return map[string][]contract.Part{
		"aws": {vm("aws", "us-east-1", "p2.xlarge", "K80", 2)}, "gcp": {vm("gcp", "us-central1", "n1-standard-8", "V100", 1)},
		"azure": {vm("azure", "eastus", "Standard_NC6", "K80", 1)},
		"two":   {vm("aws", "us-east-1", "p2.xlarge", "K80", 2), vm("aws", "us-west-2", "g4dn.xlarge", "T4", 1)},
	}
}

// everywhere writes the pick of that name in all formats, on all hosts.
func everywhere(t testing.TB, name string, check func(p contract.Pick, f *Format, text string)) {
	t.Helper()
	n := 0
	for _, on := range hosts() {
		p := named(name, on...)
		for _, f := range Formats {
			if text, err := f.Text(p); err == nil {
				check(p, f, text)
				n++
			} else if !strings.Contains(err.Error(), "; write it as ") {
				t.Fatal(err)
			}
		}
	}
	if n != 18 {
		t.Fatalf("%d formats fitted", n)
	}
}

// once writes it in each format on one host.
func once(t testing.TB, name string, check func(p contract.Pick, f *Format, text string)) {
	t.Helper()
	for _, f := range Formats {
		on := map[*Format]string{GCloud: "gcp", Az: "azure", Slurm: "two", Terraform: "two"}
		p := named(name, hosts()[cmp.Or(on[f], "aws")]...)
		check(p, f, written(t, p, f))
	}
}

// lack skips the test for want of a program, which with CI=true is a failure.
func lack(t testing.TB, program string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(program, "is missing, and with CI=true nothing may be skipped")
	}
	t.Skip(program, "is not installed")
}

func TestHostileNamesAreParsedBack(t *testing.T) {
	for _, name := range hostileNames {
		readBack(t, name)
	}
}

func TestAnyNameIsParsedBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		readBack(t,
			rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a '\"\\$`{}()%#\n-:@=é\ufffe")))).Draw(r,
				"name"))
	})
}

func FuzzNames(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { readBack(t, name) })
}

// readBack reads YAML and HCL with their libraries and compares what came back.
func readBack(t testing.TB, name string) {
	t.Helper()
	everywhere(t, name, func(p contract.Pick, f *Format, text string) {
		if plaintext.Clean(strings.ReplaceAll(text, "\n", "")) != strings.ReplaceAll(text, "\n", "") {
			t.Fatalf("%q as %s drives the terminal:\n%q", name, f, text)
		}
		// A pick is kept as JSON, in which what is no UTF-8 is a replacement character.
		kept, err := json.Marshal(p)
		if err != nil || json.Unmarshal(kept, &p) != nil {
			t.Fatal("a pick is no JSON: ", err)
		}
		switch f {
		case Terraform:
			readTerraform(t, p, text)
		case Kubernetes:
			readKubernetes(t, p, text)
		case SkyPilot:
			readSkyPilot(t, p, text)
		default:
			readHead(t, text)
		}
	})
}

// readHead holds every line before the first command to the comments and
// options that are meant.
func readHead(t testing.TB, text string) {
	t.Helper()
	head, _, ok := strings.Cut(text, "\nset -euo pipefail\n")
	if !ok {
		t.Fatalf("no command in\n%s", text)
	}
	for _, line := range strings.Split(head, "\n")[1:] {
		if !strings.HasPrefix(line, "# ") && line != "#" && !strings.HasPrefix(line, "#SBATCH --") &&
			line != "#SBATCH hetjob" || strings.HasPrefix(line, "# shellcheck") || strings.Contains(line, "--wrap") &&
			strings.HasPrefix(line, "#S") {
			t.Fatalf("%q is no comment in\n%s", line, text)
		}
	}
}

func readTerraform(t testing.TB, p contract.Pick, text string) {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "pick.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%v in\n%s", diags, text)
	}
	if got := string(hclwrite.Format([]byte(text))); got != text {
		t.Fatalf("terraform fmt would change\n%s to\n%s", text, got)
	}
	resources := 0
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		switch {
		case b.Type == "variable" && b.Body.Attributes["default"] != nil:
			t.Fatalf("%v has a default", b.Labels)
		case b.Type != "resource":
			continue
		}
		resources++
		of := b.Body.Attributes["tags"]
		if b.Labels[0] == "google_compute_instance" {
			of = b.Body.Attributes["metadata"]
		}
		var tags map[string]string
		if diags := gohcl.DecodeExpression(of.Expr, nil, &tags); diags.HasErrors() {
			t.Fatal(diags)
		}
		// HCL normalises what it reads.
		if want := norm.NFC.String(plaintext.Cut(plaintext.Clean(p.Candidate.Model),
			longestTag)); tags["sweetspot-model"] != want {
			t.Fatalf("%q came back, want %q", tags["sweetspot-model"], want)
		}
	}
	if resources != len(p.Candidate.Configuration) {
		t.Fatalf("%d resources in\n%s", resources, text)
	}
}

func readKubernetes(t testing.TB, p contract.Pick, text string) {
	t.Helper()
	dec := yaml.NewDecoder(strings.NewReader(text))
	for range p.Candidate.Configuration {
		var job struct {
			Kind string
			Spec struct {
				Template struct {
					Spec struct {
						NodeSelector map[string]string `yaml:"nodeSelector"`
						Containers   []struct {
							Image string
							Env   []struct{ Name, Value string }
						}
					}
				}
			}
		}
		if err := dec.Decode(&job); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		env := job.Spec.Template.Spec.Containers[0].Env
		i := slices.IndexFunc(env, func(e struct{ Name, Value string }) bool { return e.Name == "PICK_MODEL" })
		if got := expanded(env[i].Value); job.Kind != "Job" || got != plaintext.Clean(p.Candidate.Model) {
			t.Fatalf("%q came back in\n%s", got, text)
		}
	}
}

// expanded is what Kubernetes makes of a value: $$ is $, $(NAME) that variable's.
func expanded(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '$' && i+1 < len(s) {
			switch s[i+1] {
			case '$':
				i++
			case '(':
				b.WriteString("EXPANDED")
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func readSkyPilot(t testing.TB, p contract.Pick, text string) string {
	t.Helper()
	var task struct {
		Name      string
		NumNodes  int `yaml:"num_nodes"`
		Resources struct {
			Infra        string
			InstanceType string `yaml:"instance_type"`
			UseSpot      bool   `yaml:"use_spot"`
		}
		Envs map[string]*string
		Run  string
	}
	if err := yaml.Unmarshal([]byte(text), &task); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	v := p.Candidate.Configuration[0]
	command, asked := task.Envs["COMMAND"]
	if task.Resources.Infra != *v.Cloud+"/"+*v.Region || task.Resources.InstanceType != *v.InstanceType ||
		!task.Resources.UseSpot || task.NumNodes != v.Count || !asked || command != nil {
		t.Fatalf("%+v came back of\n%s", task, text)
	}
	if want := "export PICK_MODEL=" + shellwords.Quoted(plaintext.Clean(p.Candidate.Model)) +
		"\n"; !strings.Contains(task.Run, want) {
		t.Fatalf("no %q in\n%s", want, task.Run)
	}
	return task.Run
}
