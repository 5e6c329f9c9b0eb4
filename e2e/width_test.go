package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// However long the names in a file are, tables and sentences stay readable.
func TestLongNames(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	file, db := filepath.Join(user.dir, "long.csv"), filepath.Join(user.dir, "long.db")
	long := strings.Repeat("x", 3000) + "e" + strings.Repeat("\u0301", 5000)
	text := "model,mode,variant,precision,cloud,region,instance_type,host,gpu,gpu_count,usd_per_hour,batch_size," +
		"steady_iteration_s,steady_stddev_s,steady_n,metric,accuracy,higher_is_better,basis,dataset,source,note\n"
	for i, machine := range []string{"c%[1]s,r%[1]s,a%[1]s,,", "c%[1]s,r%[1]s,b%[1]s,,", ",,,h%[1]s,"} {
		text += fmt.Sprintf("m%[1]s,infer,v%[1]s,p%[1]s,"+machine+"g%[1]s,1,1,%[2]d,0.1,0.001,100,k%[1]s,0.9,true,measured,"+
			"d%[1]s,s%[1]s,n%[1]s\n", long, i+1)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
	}{
		{"import " + file, 0}, {"rank", 0}, {"rank --predicted", 0}, {"rank --gpu none", 3}, {"rank --model none", 1},
		{"plan", 0}, {"validate", 0}, {"runs list", 0}, {"attach 1", 0}, {"runs delete 1", 0},
	} {
		s := run(t, user, append(strings.Fields(c.args), "--db", db)...)
		if s.code != c.code {
			t.Fatalf("%s: %+v", c.args, s)
		}
		for line := range strings.Lines(s.out + s.stderr) {
			if n := utf8.RuneCountInString(line); n > 1100 || n > 400 && c.code == 0 {
				t.Errorf("%s: a line of %d characters: %.100s…", c.args, n, line)
			}
		}
	}
}
