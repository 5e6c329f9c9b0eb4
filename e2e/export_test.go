package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// picked is the line of a launch that holds the time of day.
var picked = regexp.MustCompile(`(?m)^# Picked: .*\n`)

// A form is chosen, seen, copied by way of the terminal and written; it is what
// the command line writes.
func TestExportInATerminal(t *testing.T) {
	t.Parallel()
	s := start(t, 120, 40)
	s.tmux("set-option", "-g", "set-clipboard", "on")
	s.waitFor("168 of 168", timeout)
	s.keys("e")
	s.waitFor("schema: 1", timeout)
	for range 4 + 4 { // past the pick's forms, to the fifth of the launches
		s.keys("j")
	}
	s.waitFor("# Pick: CaffeNet", timeout)
	s.waitFor("▸ Terraform", timeout)
	s.keys("PageDown")
	s.waitFor(`resource "aws_instance"`, timeout)
	s.keys("y")
	s.waitFor("if the terminal allows it; in tmux: set -g set-clipboard on", timeout)
	var copied string
	s.waitUntil("holding the copied text", timeout, func(string) bool {
		out, err := s.tmuxCommand("show-buffer").Output()
		copied = string(out)
		return err == nil && copied != ""
	})
	s.keys("Enter")
	s.waitFor("wrote sweetspot-caffenet.tf", timeout)
	text, err := os.ReadFile(filepath.Join(s.work, "sweetspot-caffenet.tf"))
	if err != nil {
		t.Fatal(err)
	}
	if copied != string(text) {
		t.Errorf("copied was\n%s\nwritten\n%s", copied, text)
	}
	file, faults := hclsyntax.ParseConfig(text, "sweetspot-caffenet.tf", hcl.InitialPos)
	if faults.HasErrors() || !hasBlock(file, "resource") {
		t.Errorf("%v in\n%s", faults, text)
	}
	cmd := exec.Command(program, "export", "--model", "CaffeNet", "--units", "1M", "--format", "terraform")
	cmd.Env = s.home.env()
	verb, err := cmd.Output()
	if want := picked.ReplaceAllString(string(verb), ""); err != nil || picked.ReplaceAllString(string(text), "") != want {
		t.Errorf("%v: the command line writes\n%s\nthe screen\n%s", err, verb, text)
	}

	// The form is remembered; its file is not written over, but under another name.
	s.keys("e")
	s.waitFor("▸ Terraform", timeout)
	s.keys("Enter")
	s.waitFor("exists already: give another name", timeout)
	for range len(".tf") {
		s.keys("BSpace")
	}
	s.write("-2.tf")
	s.keys("Enter")
	s.waitFor("wrote sweetspot-caffenet-2.tf", timeout)
	if again, err := os.ReadFile(filepath.Join(s.work, "sweetspot-caffenet-2.tf")); err != nil ||
		picked.ReplaceAllString(string(again), "") != picked.ReplaceAllString(string(text), "") {
		t.Errorf("%v: the second file holds\n%s", err, again)
	}
	s.keys("q")
	s.left(0)
}

func hasBlock(file *hcl.File, kind string) bool {
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return false
	}
	for _, b := range body.Blocks {
		if b.Type == kind {
			return true
		}
	}
	return false
}

// At the smallest size the text is shown in place of the list.
func TestExportInASmallTerminal(t *testing.T) {
	t.Parallel()
	s := start(t, 50, 15)
	s.waitFor("g3.4xlarge", timeout)
	s.keys("e")
	s.waitFor("▸ YAML", timeout)
	s.keys("Tab")
	lines(t, s.waitFor("schema: 1", timeout), 50)
	s.keys("y")
	s.waitFor("copied ", timeout)
	s.keys("Escape")
	if screen := s.waitUntil("without the dialog", timeout,
		func(screen string) bool { return !strings.Contains(screen, "schema: 1") }); !strings.Contains(screen, "g3.4xlarge") {
		t.Errorf("not back on Explore:\n%s", screen)
	}
	s.keys("q")
	s.left(0)
}
