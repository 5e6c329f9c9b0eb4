package shellwords

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                 nil,
		"  \t ":                            nil,
		"python3 train.py --lr 0.1":        {"python3", "train.py", "--lr", "0.1"},
		`a 'b c' "d e" f\ g`:               {"a", "b c", "d e", "f g"},
		`a '' ""`:                          {"a", "", ""},
		`'it'\''s' "say \"hi\" \\ \$x \n"`: {"it's", `say "hi" \ $x \n`},
		"env LR=0.1 python3 x~y a#b --k=v": {"env", "LR=0.1", "python3", "x~y", "a#b", "--k=v"},
		"--x=1 'a=b'":                      {"--x=1", "a=b"},
		"  über  naïve ":                   {"über", "naïve"},
	} {
		got, err := Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Split(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestSplitRefusesWhatTakesAShell(t *testing.T) {
	for line, want := range map[string]string{
		"a | b": "sh -c", "a && b": "sh -c", "a > log": "sh -c", "(a)": "sh -c", "a; b": "sh -c",
		"a $HOME": "write the value out", `a "$HOME"`: "write the value out", "a `b`": "write the value out",
		"ls *.py": "pattern", "a x[0]": "pattern", "a {b,c}": "pattern", "a b?": "pattern",
		"a ~/b": "directory", "a # b": "comment", "LR=1 a": "env LR=", "a 'b": "never closed", `a "b`: "never closed",
		`a \`:  "ends in",
		"a\nb": "control character",
	} {
		got, err := Split(line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Split(%q) = %q, %v; want an error with %q", line, got, err, want)
		}
	}
}

// alphabet has everything that means something to a shell.
var alphabet = []rune(`ab1 ='"\$|&;<>()*?[]{}~#!-%` + "`\t")

// What Split accepts is what a shell makes of the same line.
func TestSplitAgreesWithAShell(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.StringOfN(rapid.RuneFrom(alphabet), 0, 12, -1).Draw(rt, "line")
		words, err := Split(line)
		if err != nil || len(words) == 0 {
			return
		}
		cmd := exec.Command("sh", "-c", `printf '%s\0' `+line)
		cmd.Dir = dir // no file that a pattern could match
		out, err := cmd.Output()
		if err != nil {
			rt.Fatalf("a shell refuses %q: %v", line, err)
		}
		if want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(words, want) {
			rt.Fatalf("Split(%q) = %q, a shell makes %q", line, words, want)
		}
	})
}

func TestJoinIsTakenApartAgain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune(`ab ='"\$*~#é`)), 0, 6, -1), 1, 5).Draw(rt, "words")
		got, err := Split(Join(words))
		if err != nil || !slices.Equal(got, words) {
			rt.Fatalf("%q joined is %s and comes back as %q, %v", words, Join(words), got, err)
		}
	})
	if got := Join([]string{"python3", "train.py", "--lr=0.1", "a b"}); got != "python3 train.py --lr=0.1 'a b'" {
		t.Errorf("Join quotes too much or too little: %s", got)
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "a 'b' \"c\" \\d", "x=1 a", "$(a) | b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			return
		}
		again, err := Split(Join(words))
		if strings.ContainsFunc(line, func(r rune) bool { return r == '\uFFFD' }) {
			return // broken UTF-8 is mended on the way
		}
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("%q: %q comes back as %q, %v", line, words, again, err)
		}
	})
}
