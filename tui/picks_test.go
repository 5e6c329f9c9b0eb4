package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A pick is also written as what launches it; where that doesn't fit, the
// sentence says what does and no file is left.
func TestPicksLaunch(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	d := drive(t, 120, 40, &shelf{set: published(t)})
	for name, holds := range map[string]string{"pick.tf": "resource", "pick.sh": "aws ec2 run-instances", "pick.sbatch": "#SBATCH"} {
		p, ok := d.app.pickOf()
		if !ok {
			t.Fatal("nothing is selected")
		}
		d.run(write(name, p))
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), holds) {
			t.Errorf("%s: %v: %s\n%s", name, err, data, d.screen())
		}
	}
}
