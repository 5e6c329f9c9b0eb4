package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sweetspot/engine/profile"
)

// What follows saving is done once all is saved, and not where only the end is not.
func TestAfterSaveIsAfterAllIsSaved(t *testing.T) {
	for name, lose := range map[string]bool{"saved": false, "the end is lost": true} {
		s := openStore(t)
		end := filepath.Join(t.TempDir(), "end")
		o := shell(s, fmt.Sprintf(steps, 30, ">&3")+"; while [ ! -e '"+end+"' ]; do sleep 0.01; done")
		calls := 0
		o.AfterSave = func(context.Context) error { calls++; return nil }
		p := start(t, o)
		id := (<-p.Updates()).Run.ID
		for n := 0; n < 30; time.Sleep(10 * time.Millisecond) {
			times, err := s.Iterations(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			n = len(times)
		}
		if lose {
			if err := s.Discard(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(end, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		u := p.Wait()
		if (calls == 1) != !lose || (u.Err != nil) != lose || (u.Run.Status == profile.Failed) != lose {
			t.Errorf("%s: called %d times, %s, %v", name, calls, u.Run.Status, u.Err)
		}
	}
}
