package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sweetspot/data/catalog/listing"
	"sweetspot/data/contract"
	"sweetspot/engine/bill"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transformer"
	"sweetspot/probes/report"
)

var update = flag.Bool("update", false, "rewrite docs/json.md and testdata")

// recordedRuns is the JSON of export --runs, which is written run by run.
type recordedRuns struct {
	contract.Head
	Runs []contract.RecordedRun `json:"runs"`
}

// verbs are the subcommands that write JSON, with what they write.
var verbs = []struct {
	name string
	of   any
}{
	{"rank", contract.Ranking{}}, {"plan", contract.Plan{}}, {"fleet", contract.Fleet{}}, {"traffic", contract.Traffic{}},
	{"traffic llm", contract.LLM{}}, {"traffic mix", contract.Mix{}},
	{"traffic loads", contract.Loads{}},
	{"probe", report.Probe{}}, {"probe --rent --dry-run", rentalsJSON{}}, {"probe server", serverProbe{}}, {"attach",
		probeList{}},
	{"queue", queueResult{}}, {"queue offers", offersResult{}},
	{"export", contract.Pick{}}, {"export --runs", recordedRuns{}},
	{"runs", runsResult{}}, {"import", importAnswer{}}, {"merge", mergeAnswer{}}, {"sync", syncAnswer{}},
	{"backup", backupAnswer{}},
	{"catalog", listing.Document{}}, {"catalog diff", listing.Changes{}}, {"reproduce", reproduction{}},
	{"validate", validation{}}, {"doctor", examination{}}, {"serve", serveAnswer{}},
	{"version", build{}},
}

// member is a field of a JSON object.
type member struct {
	name, meaning string
	of            reflect.Type
	nullable      bool
	optional      bool // it may be left out
}

// sources are the comments of the program's types, by package, type and field. A type's
// own comment has the field "".
type sources struct {
	t        *testing.T
	root     string // of the repository
	comments map[string]map[string]string
}

// of is the comment of a field.
func (s *sources) of(t reflect.Type, field string) string {
	pkg := t.PkgPath()
	if s.comments[pkg] == nil {
		s.comments[pkg] = s.read(pkg)
	}
	return s.comments[pkg][t.Name()+"."+field]
}

// plain is a comment on one line.
func plain(groups ...*ast.CommentGroup) string {
	var text []string
	for _, g := range groups {
		text = append(text, strings.Fields(g.Text())...)
	}
	return strings.Join(text, " ")
}

func (s *sources) read(pkg string) map[string]string {
	dir, ok := strings.CutPrefix(pkg, "sweetspot/")
	if !ok {
		dir = "cmd/sweetspot"
	}
	files, err := filepath.Glob(filepath.Join(s.root, dir, "*.go"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("no sources of %q: %v", pkg, err)
	}
	out := map[string]string{}
	for _, path := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			s.t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if of, ok := n.Type.(*ast.StructType); ok {
					for _, f := range of.Fields.List {
						for _, name := range f.Names {
							text := plain(f.Doc, f.Comment)
							for _, is := range []string{" is ", " are "} {
								text = strings.TrimPrefix(text, name.Name+is)
							}
							out[n.Name.Name+"."+name.Name] = text
						}
					}
				}
			case *ast.CallExpr: // put("name", value) // meaning
				f, isName := n.Fun.(*ast.Ident)
				if name, isText := any(nil), false; isName && f.Name == "put" {
					if name, isText = n.Args[0].(*ast.BasicLit); isText {
						for _, g := range file.Comments {
							if fset.Position(g.Pos()).Line == fset.Position(n.Pos()).Line {
								text, _ := strconv.Unquote(name.(*ast.BasicLit).Value)
								out["put."+text] = plain(g)
							}
						}
					}
				}
			}
			return true
		})
	}
	return out
}

// asked is a question with everything in it.
func asked() question.Query {
	q := question.Default()
	q.Mode, q.Words, q.Metric, q.Bill = profile.Infer, "a", "b", bill.Bill{StartupS: 1}
	q.Epochs, q.TargetAccuracy = new(1.0), new(1.0)
	for _, o := range objective.All() {
		q.Limits = q.Limits.With(o.Name, new(1.0))
		if o.Name != objective.Accuracy {
			q.Weights[o.Name] = 1
		}
	}
	q.Tuning = new(transformer.DefaultTuning(transformer.LoRA))
	q.Lengths, q.TargetLoss = new(transformer.DefaultLengths()), new(0.9)
	return q
}

// query are the fields of a question.
func (s *sources) query() (out []member) {
	help := map[string]string{}
	for _, f := range question.Filters() {
		help[f.Name] = f.Help + "; empty: all"
	}
	for _, o := range objective.All() {
		help[o.Limit] = o.Help
	}
	always := map[string]bool{}
	for _, v := range question.Default().Object() {
		always[v.Name] = true
	}
	for _, v := range asked().Object() {
		_ = s.of(reflect.TypeFor[question.Query](), "") // reads the package
		meaning := cmp.Or(s.comments["sweetspot/engine/question"]["put."+v.Name], help[v.Name])
		of := reflect.TypeOf(v.Value)
		nullable := of.Kind() == reflect.Pointer || v.Name == "bill"
		out = append(out, member{v.Name, meaning, of, nullable, !always[v.Name]})
	}
	return out
}

// named are the fields of an object that holds a value for each of some names.
func named(of reflect.Type, optional bool, names ...string) (out []member) {
	for _, n := range names {
		out = append(out, member{n, "", of, of.Kind() == reflect.Pointer, optional})
	}
	return out
}

// members are the fields of a type that is an object with known names; nil of others.
func (s *sources) members(t reflect.Type) (out []member) {
	switch t {
	case reflect.TypeFor[question.Query]():
		return s.query()
	case reflect.TypeFor[contract.PlanQuery]():
		out = s.query()
		for _, f := range []string{"VMs", "Split", "Method", "Terms"} {
			at, _ := t.FieldByName(f)
			out = append(out, member{strings.ToLower(f), s.of(t, f), at.Type, false, false})
		}
		return out
	case reflect.TypeFor[bill.Bill]():
		var of objective.Each[*float64]
		text, _ := json.Marshal(bill.Bill{})
		if err := json.Unmarshal(text, &of); err != nil {
			s.t.Fatal(err)
		}
		for _, v := range of {
			out = append(out, named(reflect.TypeFor[*float64](), false, v.Name)...)
		}
		return out
	case reflect.TypeFor[contract.Amount]():
		for _, o := range objective.All() {
			if o.Optional {
				out = append(out, named(reflect.TypeFor[*float64](), false, o.Unit)...)
			}
		}
		return append(out, s.members(reflect.TypeFor[contract.Range]())...)
	case reflect.TypeFor[contract.Frontiers]():
		for _, p := range objective.All().Pairs() {
			out = append(out, named(reflect.TypeFor[[]string](), true, p.Key())...)
		}
		return append(out, named(reflect.TypeFor[[]string](), true, "time_cost_accuracy")...)
	}
	switch {
	case strings.HasPrefix(t.Name(), "Each["):
		value, _ := t.Elem().FieldByName("Value")
		for _, o := range objective.All().Minimized() {
			out = append(out, named(value.Type, o.Optional, string(o.Name))...)
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, tagged := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				out = append(out, s.members(f.Type)...)
			case name != "" && name != "-":
				meaning := s.of(t, f.Name)
				kind := f.Type.Kind()
				nullable := kind == reflect.Pointer || kind == reflect.Interface || t.Name() == "Check" && name == "mend" ||
					kind == reflect.Slice && strings.Contains(meaning, "null")
				out = append(out, member{name, meaning, f.Type, nullable, tagged && strings.Contains(options, "omitempty")})
			}
		}
	}
	return out
}

// word is what JSON calls a type.
func word(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Interface:
		return "number or string"
	case reflect.Pointer:
		return word(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("list of %d %ss", t.Len(), word(t.Elem()))
	case reflect.Slice:
		if !strings.HasPrefix(t.Name(), "Each[") {
			return "list of " + word(t.Elem()) + "s"
		}
	case reflect.Map:
		return "object of " + word(t.Elem()) + "s by name"
	}
	return "object"
}

// below is the type of the values in a pointer, a list or an object by name.
func below(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || (t.Kind() == reflect.Slice && !strings.HasPrefix(t.Name(), "Each[")) ||
		t.Kind() == reflect.Map || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

// units are what the ends of names mean.
var units = []struct{ end, unit string }{
	{"usd_per_hour", "US dollars an hour"}, {"usd_per_million", "US dollars per million"},
	{"usd_per_month", "US dollars a month"}, {"usd_per_gib_month", "US dollars per GiB and month"},
	{"usd_per_gib", "US dollars per GiB"}, {"usd_per_kwh", "US dollars per kWh"}, {"usd", "US dollars"}, {"per_hour",
		"per hour"},
	{"per_second", "per second"}, {"j_per_unit", "joules per unit"}, {"bytes", "bytes"}, {"gib", "GiB"}, {"gb",
		"GiB"}, {"kwh", "kWh"}, {"w", "watts"},
	{"s", "seconds"}, {"seconds", "seconds"}, {"days", "days"}, {"months", "months"},
}

func unitOf(m member) string {
	switch below(m.of).Kind() {
	case reflect.Float64, reflect.Int, reflect.Int64:
		for _, u := range units {
			if m.name == u.end || strings.HasSuffix(m.name, "_"+u.end) {
				return u.unit
			}
		}
	}
	return ""
}

const intro = `# JSON

This page is written from the types of the program: ` + "`go test ./cmd/sweetspot -run JSONIsDocumented -update`" + `.

Every subcommand writes one object with ` + "`--json`" + `; several probes are one object a line.
Fields may be added; none is renamed or given another unit without staying here as deprecated for a release.
What is unknown is null, and a list without entries is empty. No GPU is 0 GPUs. Intervals hold the true
value nine times out of ten, from ` + "`low` to `high`" + `. ` + "`basis`" + ` is measured, published, reconstructed, other-batch, transferred or spec.
Fractions are in [0,1].

`

// page writes the documentation.
func (s *sources) page() string {
	var b strings.Builder
	b.WriteString(intro)
	at := map[reflect.Type]string{}
	var write func(path string, t reflect.Type)
	write = func(path string, t reflect.Type) {
		at[t] = path
		level := "##"
		if strings.Contains(path, ".") {
			level = "###"
		}
		fmt.Fprintf(&b, "%s %s\n\n| field | type | unit | meaning |\n|---|---|---|---|\n", level, path)
		type object struct {
			path string
			of   reflect.Type
		}
		var inside []object
		for _, m := range s.members(t) {
			kind, to := word(m.of), below(m.of)
			if fields := s.members(to); fields != nil {
				if at[to] == "" {
					at[to] = path + "." + m.name
					inside = append(inside, object{at[to], to})
				}
				kind = fmt.Sprintf("%s: %s", kind, at[to])
			}
			if m.nullable {
				kind += ", or null"
			}
			if m.optional {
				kind += "; may be missing"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.name, kind, unitOf(m), strings.ReplaceAll(m.meaning, "|", "\\|"))
		}
		b.WriteString("\n")
		for _, o := range inside {
			write(o.path, o.of)
		}
	}
	for _, v := range verbs {
		write(v.name, reflect.TypeOf(v.of))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func newSources(t *testing.T) *sources {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return &sources{t, root, map[string]map[string]string{}}
}

// The page on JSON says what the types say.
func TestJSONIsDocumented(t *testing.T) {
	const path = "../../docs/json.md"
	want := newSources(t).page()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("docs/json.md is out of date: go test ./cmd/sweetspot -run JSONIsDocumented -update (%v)", err)
	}
}

// conforms walks a value that a subcommand wrote along its type: every field is declared
// and every declared one is there, null stands only where it may, and no text is empty.
func (s *sources) conforms(path string, v any, t reflect.Type, nullable bool) {
	if v == nil {
		if !nullable {
			s.t.Errorf("%s is null", path)
		}
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case map[string]any:
		members := s.members(t)
		if members == nil && t.Kind() != reflect.Map {
			s.t.Errorf("%s is an object, not a %s", path, t)
		}
		for _, m := range members {
			of, there := v[m.name]
			if !there && !m.optional {
				s.t.Errorf("%s.%s is missing", path, m.name)
			}
			if there {
				s.conforms(path+"."+m.name, of, m.of, m.nullable)
			}
			delete(v, m.name)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if t.Kind() != reflect.Map {
				s.t.Errorf("%s.%s is not declared", path, name)
				continue
			}
			s.conforms(path+"."+name, v[name], t.Elem(), false)
		}
	case []any:
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
			s.t.Errorf("%s is a list, not a %s", path, t)
			return
		}
		for i, item := range v {
			s.conforms(fmt.Sprintf("%s[%d]", path, i), item, t.Elem(), false)
		}
	case string:
		if v == "" {
			s.t.Errorf("%s is empty", path)
		}
	}
}

// Every subcommand writes what the page says, whatever is unknown.
func TestJSONIsAsDocumented(t *testing.T) {
	s, dir := newSources(t), t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	files := map[string]string{
		"runs.csv": "model,variant,mode,basis,batch_size,steady_iteration_s,epochs,iterations_per_epoch,host,average_power_w\n" +
			"net,,train,measured,32,0.25,3,100,desk,120\nnet,half,train,measured,64,0.5,3,50,desk,\nother,,infer,measured,8,0.125,,,,\n",
		"bad.csv":    "model,mode,basis\nnet,sideways,measured\n",
		"prices.csv": "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\nx1,T4,1,4,16,0.5,,here\n",
		"script":     `for i in $(seq 0 40); do echo '{"sweetspot":1,"event":"iteration","index":'$i',"seconds":0.01}'; done`,
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path, _ := recorded(t)
	for _, line := range []string{
		"import: import runs.csv --db own.db", "import: import runs.csv bad.csv --db own.db",
		"rank: rank --model CaffeNet --mode infer", "rank: rank --model seismic/FCN --epochs 13 --predicted",
		"rank: rank --model CaffeNet --mode infer --units 1 --gpu nothing", "rank: rank --db own.db --model net",
		"rank: rank --db own.db --model net --variant unchanged --bill electricity-price=0.3/kWh --max-energy 5kWh",
		"rank: rank --model CaffeNet --mode infer --min-accuracy 99%",
		"plan: plan --model CaffeNet --units 1M --vms p2.xlarge:2,g3.4xlarge:1 --max-time 1h",
		"plan: plan --model CaffeNet --units 1M --vms p2.xlarge:2,g3.4xlarge:1 --max-time 1s",
		"plan: plan --model fashion-cnn", "fleet: fleet --jobs 300 --seeds 2 --no-sizing",
		"fleet: fleet --jobs 300 --seeds 2 --on-demand-price 3 --reserved-price 1 --reserved 0",
		"traffic: traffic --hours 0.1 --pattern bursty",
		"traffic mix: traffic mix --hours 0.1 --query models=fashion-cnn,share=1,slo=100ms --vm-price 0.1",
		"traffic: traffic --models fashion-cnn --vm-price 0.1 --hours 0.1 --min-accuracy 80% --slo 100ms",
		"probe: probe --db own.db --max-steps 30 -- sh script", "probe: attach 4 --db own.db",
		"export: export --model CaffeNet --mode infer", "export --runs: export --runs --db " + path,
		"rank: export --model CaffeNet --mode infer --format ranking-json", "runs: runs list --db own.db",
		"runs: runs annotate 1 word --db own.db", "runs: runs rename 2 --variant most --db own.db",
		"runs: runs delete 2 --db own.db",
		"runs: runs list --deleted --db own.db", "runs: runs undelete --db own.db", "runs: runs delete 3 --db own.db",
		"runs: runs purge --db own.db", "merge: merge " + path + " --db own.db", "sync: sync shared --db own.db",
		"backup: backup copy.db --db own.db",
		"catalog: catalog list --gpu h100", "catalog: catalog show p2.xlarge",
		"catalog: catalog import prices.csv --cloud aws --dry-run",
		"catalog diff: catalog diff built-in prices.csv --cloud aws",
		"reproduce: reproduce --paper tarcar", "reproduce: reproduce --paper malta", "validate: validate --db own.db",
		"doctor: doctor", "version: version",
	} {
		name, args, _ := strings.Cut(line, ": ")
		words := strings.Fields(args)
		if at := slices.Index(words, "--"); !slices.Contains(words, "--format") {
			words = slices.Insert(words, max(at, 1), "--json")
		}
		out, _, err := execute(t, words...)
		var v any
		if wrong := json.Unmarshal([]byte(out), &v); wrong != nil {
			t.Errorf("%s: %v (%v)\n%s", args, wrong, err, out)
			continue
		}
		for _, verb := range verbs {
			if verb.name == name {
				s.conforms(args, v, reflect.TypeOf(verb.of), false)
			}
		}
	}
}
