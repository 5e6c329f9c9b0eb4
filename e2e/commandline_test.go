package e2e

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// said is what a command left behind.
type said struct {
	code        int
	out, stderr string
}

// run runs the program without a terminal.
func run(t testing.TB, user home, args ...string) said {
	t.Helper()
	return finish(t, exec.Command(program, args...), user.env())
}

func finish(t testing.TB, cmd *exec.Cmd, env []string) said {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &stderr, env
	if err := cmd.Run(); errors.Is(err, syscall.EPERM) && cmd.SysProcAttr != nil {
		t.Skip("this root may not become another user (CAP_SETUID), so permissions can't be tried")
	} else if err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return said{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// emittedDatabase is a database with one run of the emitter in it.
func emittedDatabase(t testing.TB, user home) string {
	t.Helper()
	db := filepath.Join(user.dir, "emitted.db")
	cmd := probeCommand(user, db, filepath.Join(user.dir, "diary"), "--max-steps", "200", "--price", "$2")
	if s := finish(t, cmd, cmd.Env); s.code != 0 {
		t.Fatalf("%+v", s)
	}
	return db
}

// What is wrong is said in one sentence on stderr, with the exit code of its
// kind, and nothing is printed that a script could take for an answer.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	text := filepath.Join(user.dir, "text.db")
	if err := os.WriteFile(text, []byte("these are not profiles"), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := emittedDatabase(t, user)
	db, err := sql.Open("sqlite3", newer)
	if err == nil {
		_, err = db.Exec("PRAGMA user_version = 99")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{"rank --db missing.db", 1, []string{"missing.db", "no profile database"}},
		{"missing.db", 2, []string{"missing.db", "neither a command nor an existing file"}},
		{"rank --db " + text, 1, []string{"not a profile database"}},
		{text, 1, []string{"not a profile database"}},
		{"rank --db " + newer, 1, []string{"newer"}},
		{"probe --db " + newer + " -- true", 1, []string{"newer"}},
		{"frobnicate", 2, []string{"frobnicate", "neither a command nor an existing file"}},
		{"rank frobnicate", 2, []string{"frobnicate"}},
		{"help frobnicate", 2, []string{`has no command "frobnicate"`, "rank"}},
		{"help rank frobnicate", 2, []string{"rank has no commands"}},
		{"help catalog frobnicate", 2, []string{`catalog has no command "frobnicate"`, "diff"}},
		{"catalog frobnicate", 2, []string{`catalog has no command "frobnicate"`, "diff"}},
		{"runs frobnicate", 2, []string{`runs has no command "frobnicate"`, "purge"}},
		{"completion frobnicate", 2, []string{`completion has no command "frobnicate"`, "zsh"}},
		{"rank --frobnicate", 2, []string{"--frobnicate"}},
		{"rank --batch many", 2, []string{"--batch", "many", "whole number"}},
		{"rank --batch -3", 2, []string{"--batch -3"}},
		{"rank --min-accuracy 70", 2, []string{"--min-accuracy", "70", "0.7 or 70%"}},
		{"rank --min-accuracy NaN", 2, []string{"--min-accuracy"}},
		{"rank --max-cost NaN", 2, []string{"--max-cost"}},
		{"rank --max-cost -3", 2, []string{"--max-cost", "-3"}},
		{"rank --max-time -3s", 2, []string{"--max-time", "-3s"}},
		{"rank --max-time soon", 2, []string{"--max-time", "soon", "2h30m"}},
		{"rank --model seismic/FCN --epochs Inf", 2, []string{"--epochs"}},
		{"rank --units 0", 2, []string{"--units"}},
		{"rank --weights time=-1", 2, []string{"--weights", "time=1,cost=2"}},
		{"rank --max-count 0", 2, []string{"0 VMs", "from 1 to 1000"}},
		{"rank --max-count 99999999999", 2, []string{"99999999999 VMs", "from 1 to 1000"}},
		{"export --max-count 30000", 2, []string{"30000 VMs", "from 1 to 1000"}},
		{"rank --sort strict-score", 2, []string{"--sort", "strict-score"}},
		{"rank --sort colour", 2, []string{"--sort", "colour"}},
		{"rank --json --csv", 2, []string{"--json", "--csv"}},
		{"rank --model VGG-99", 1, []string{"VGG-99", "CaffeNet"}},
		{"rank --model CaffeNet --units 1M --max-time 1s", 3, []string{"time rules out all 168 candidates"}},
		{"rank --model CaffeNet --units 1M --max-cost 0.01", 3, []string{"cost rules out all 168 candidates"}},
		{"rank --model CaffeNet --units 1M --min-accuracy 99%", 3, []string{"accuracy rules out all 168 candidates"}},
		{"rank --model CaffeNet --max-time 1s --json", 3, []string{"time rules out all"}},
		{"export --model CaffeNet --max-time 1s", 3, []string{"time rules out all"}},
		{"export --format xml", 2, []string{"xml", "yaml"}},
		{"--theme pink", 2, []string{"--theme", "pink"}},
		{"--fps 0", 2, []string{"--fps", `"0"`}},
		{"probe", 2, []string{"nothing to probe"}},
		{"probe -- /no/such/program", 1, []string{"/no/such/program or its interpreter does not exist"}},
		{"probe --model example:fashion-cnn --precision-target 3", 2, []string{"--precision-target"}},
		{"probe --max-cost 1 -- true", 2, []string{"--max-cost", "--price"}},
		{"probe -- false", 1, []string{"exit code 1"}},
		{"plan --vms p2.xlarge:many", 2, []string{"p2.xlarge:many", "p2.xlarge:3"}},
		{"plan --split half", 2, []string{"half", "throughput", "gpus"}},
		{"plan --max-per-type 0", 2, []string{"--max-per-type 0"}},
		{"plan --units NaN", 2, []string{"--units"}},
		{"plan --model CaffeNet --vms mars.large:2", 3, []string{"mars.large", "probe it there"}},
		{"plan --model CaffeNet --max-time 1s --json", 3, []string{"time rules out all"}},
		{"plan --model CaffeNet --purchase reserved-3y", 3, []string{"without a price"}},
		{"fleet --trace missing.csv", 1, []string{"missing.csv", "cannot read the trace"}},
		{"fleet --trace " + text, 1, []string{"text.db", "submit_s"}},
		{"fleet --deadline 3:1.5", 2, []string{"--deadline", "the smaller first"}},
		{"fleet --deadline NaN:3", 2, []string{"--deadline"}},
		{"fleet --int8-ratio 0:1", 2, []string{"--int8-ratio"}},
		{"fleet --policy cheapest", 2, []string{"--policy", "approxdnn"}},
		{"fleet --scheduler random", 2, []string{"--scheduler", "round-robin"}},
		{"fleet --acceptance power:-1", 2, []string{"--acceptance"}},
		{"fleet --reserved -3", 2, []string{"--reserved -3"}},
		{"fleet --jobs 0", 2, []string{"--jobs 0"}},
		{"fleet --on-demand-price -1", 2, []string{"--on-demand-price"}},
		{"fleet --vm mars.large", 1, []string{"mars.large", "--on-demand-price"}},
		{"fleet --vm g3.4xlarge --term reserved-9y", 2, []string{"reserved-9y"}},
		{"fleet --csv --json", 2, []string{"--csv"}},
		{"fleet --mix mine", 2, []string{"--mix", "database"}},
		{"traffic --trace missing.csv", 1, []string{"missing.csv", "cannot read the trace"}},
		{"traffic --trace " + text, 1, []string{"text.db", "time_s"}},
		{"traffic --pattern storm", 2, []string{"--pattern", "flash-crowd"}},
		{"traffic --rate -1", 2, []string{"--rate -1"}},
		{"traffic --rate NaN", 2, []string{"--rate"}},
		{"traffic --slo -1s", 2, []string{"--slo"}},
		{"traffic --strict-share 2", 2, []string{"--strict-share"}},
		{"traffic --scheme fastest", 2, []string{"--scheme", "paragon"}},
		{"traffic --min-accuracy 80%", 2, []string{"--min-accuracy", "--models"}},
		{"traffic --function-memory 99", 2, []string{"--function-memory"}},
		{"traffic --models VGG-99 --hours 1", 1, []string{"VGG-99", "probe it"}},
		{"traffic --models CaffeNet --hours 1", 3, []string{"CaffeNet", "--slo"}},
		{"traffic --models fashion-cnn --vm-price 0.1 --min-accuracy 99% --hours 1", 3, []string{"accuracy rules out all"}},
		{"traffic --models fashion-cnn --vm-price 0.1 --max-cost 0.0001 --hours 1", 3, []string{"cost rules out all"}},
		{"traffic --max-cost 5", 2, []string{"--max-cost", "--models"}},
		{"traffic --vm mars.large", 1, []string{"mars.large", "--vm-price"}},
		{"traffic --trace " + text + " --rate 5", 2, []string{"--rate"}},
		{"reproduce --paper nature", 2, []string{"nature", "malta"}},
	} {
		got := run(t, user, strings.Fields(c.args)...)
		if got.code != c.code {
			t.Errorf("%s: exit code %d, not %d", c.args, got.code, c.code)
		}
		sentence := strings.TrimSuffix(got.stderr, "\n")
		if !strings.HasPrefix(sentence, "sweetspot: ") || strings.Contains(sentence, "\n") ||
			strings.Contains(sentence, "strconv") {
			t.Errorf("%s: not one sentence on stderr: %q", c.args, got.stderr)
		}
		for _, want := range c.says {
			if !strings.Contains(sentence, want) {
				t.Errorf("%s: says %q, nothing of %q", c.args, sentence, want)
			}
		}
		if code := got.code; code != 3 && got.out != "" && !strings.HasPrefix(c.args, "probe -- false") {
			t.Errorf("%s: prints %q", c.args, got.out)
		}
	}
	if _, err := os.Stat(filepath.Join(user.dir, "missing.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading a database that is missing makes it")
	}
}

// A directory in which nothing can be made: for a user, since root is bound by
// no permission.
func TestReadOnlyDirectory(t *testing.T) {
	base, err := os.MkdirTemp("", "ro")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	closed := filepath.Join(base, "closed")
	for dir, mode := range map[string]fs.FileMode{base: 0o755, filepath.Dir(program): 0o755} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "probe", "--db", filepath.Join(closed, "new.db"), "--", "true")
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	got := finish(t, cmd, home{closed}.env())
	if got.code != 1 || !strings.Contains(got.stderr, "read-only") || !strings.Contains(got.stderr, "--db") ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}

// Without a terminal sweetspot prints a ranking: of the database given, else
// of the built-in library.
func TestWithoutTerminal(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	db := emittedDatabase(t, user)
	if got := run(t, user, db); got.code != 0 || !strings.HasPrefix(got.out, "Use 1× vm for emitted at batch 32: ") ||
		!strings.Contains(got.out, "\nemitted · train") ||
		!strings.Contains(got.out, "1 of 1 feasible") || strings.Contains(got.out, "CaffeNet") {
		t.Errorf("a database: %+v", got)
	}
	got := run(t, user)
	if rows := strings.Count(got.out, "\n"); got.code != 0 ||
		!strings.HasPrefix(got.out, "Rent 4× 1x_RTX3090_SECURE (RTX-3090) for levit_256 ") ||
		!strings.Contains(got.out, "\nImageNet-1k · infer") ||
		rows < 10 || strings.Contains(got.out, "\x1b") {
		t.Errorf("the library: %+v", got)
	}
}

// Every subcommand's JSON is one object with the fields that all share.
func TestJSON(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	emitted := emittedDatabase(t, user)
	for command, want := range map[string]string{
		"--json":            "rank",
		emitted + " --json": "rank",
		"rank --json":       "rank",
		"rank --model CaffeNet --max-time 1s --json": "rank",
		"export --json": "export",
		"plan --model CaffeNet --units 1000 --min-accuracy 70% --json": "plan",
		"plan --method greedy --split gpus --json":                     "plan",
		"fleet --jobs 500 --json":                                      "fleet",
		"traffic --hours 1 --json":                                     "traffic",
		"traffic --models fashion-cnn --vm-price 0.1 --hours 1 --json": "traffic",
		"fleet --jobs 500 --reserved 0 --json":                         "fleet",
		"plan --max-time 1s --json":                                    "plan",
		"plan --predicted --gpu T4 --json":                             "plan",
		"reproduce --json":                                             "reproduce",
		"doctor --json":                                                "doctor",
		"probe --json --db " + filepath.Join(user.dir, "n.db") + " --max-steps 30 -- SELF": "probe",
		"probe --json --db " + filepath.Join(user.dir, "n.db") + " -- false":               "probe",
	} {
		words := strings.Fields(command)
		if words[len(words)-1] == "SELF" {
			words[len(words)-1], _ = os.Executable()
		}
		got := finish(t, exec.Command(program, words...), user.env(roleVar+"=emitter:"+filepath.Join(user.dir, "diary.json")))
		var object struct {
			Schema   int
			Command  string
			Warnings []string
		}
		if err := json.Unmarshal([]byte(got.out), &object); err != nil || object.Schema != 1 || object.Command != want ||
			object.Warnings == nil {
			t.Errorf("%s: %v: schema %d, command %q, warnings %v: %.300s%s", command, err, object.Schema, object.Command,
				object.Warnings, got.out, got.stderr)
		}
	}
}

// The 48 cells whose totals the reconstruction predicts, through the command
// line; and the cheapest within a minute.
func TestMaltaThroughRank(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../shared/seeds/tables/malta_reconstructed.csv")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("malta_reconstructed.csv is not beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	user, cells := newHome(t), 0
	ranked := map[string]map[string]float64{}
	for _, row := range rows[1:] {
		args := []string{"rank", "--model", row[column["application"]], "--mode", "train", "--batch",
			row[column["batch_size"]], "--epochs", row[column["epochs"]], "--json"}
		key := strings.Join(args, " ")
		if ranked[key] == nil {
			ranked[key] = times(t, run(t, user, args...))
			if len(ranked[key]) != 6 {
				t.Errorf("%s ranks %d VM types", key, len(ranked[key]))
			}
		}
		want, err := strconv.ParseFloat(row[column["predicted_total_s"]], 64)
		if err != nil {
			t.Fatal(err)
		}
		vm := row[column["instance_type"]]
		if got := ranked[key][vm]; !(math.Abs(got-want) <= 0.005*want) {
			t.Errorf("%s: %s takes %v s, not %v", key, vm, got, want)
		}
		cells++
	}
	if cells != 48 {
		t.Errorf("%d cells", cells)
	}
}

// times reads the time of each VM type from a ranking.
func times(t testing.TB, s said) map[string]float64 {
	t.Helper()
	var ranking struct {
		Candidates []struct {
			Configuration []struct {
				InstanceType string `json:"instance_type"`
			}
			Time struct{ S float64 }
		}
	}
	if err := json.Unmarshal([]byte(s.out), &ranking); err != nil || s.code != 0 {
		t.Fatalf("%v: %+v", err, s)
	}
	all := map[string]float64{}
	for _, c := range ranking.Candidates {
		all[c.Configuration[0].InstanceType] = c.Time.S
	}
	return all
}

func TestCheapestWithinAMinute(t *testing.T) {
	t.Parallel()
	got := run(t, newHome(t), strings.Fields("rank --model seismic/FCN --mode train --batch 256 --epochs 13 "+
		"--max-time 60s --sort cost --json")...)
	var ranking struct {
		Candidates []struct {
			Rank          *int
			Configuration []struct {
				InstanceType string `json:"instance_type"`
			}
		}
	}
	if err := json.Unmarshal([]byte(got.out), &ranking); err != nil || len(ranking.Candidates) != 6 {
		t.Fatalf("%v: %+v", err, got)
	}
	if first := ranking.Candidates[0]; first.Rank == nil || *first.Rank != 1 ||
		first.Configuration[0].InstanceType != "p3.2xlarge" {
		t.Errorf("%+v is first", first)
	}
}
