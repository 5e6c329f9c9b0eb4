package screen

import (
	"context"
	"strings"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/data/imports"
	"sweetspot/data/store"
	"sweetspot/tui/keys"
)

func TestRightsAreRead(t *testing.T) {
	for words, want := range map[string]Rights{"": 0, "picks": Picking, "files, edits": Filing | Editing,
		"picks,edits,probes,files": AllRights} {
		if got, err := ParseRights(words); err != nil || got != want {
			t.Errorf("%q is %v, %v", words, got.Names(), err)
		}
	}
	for _, words := range []string{"all", "picks edits", "Picks"} {
		if r, err := ParseRights(words); err == nil || !strings.Contains(err.Error(), "picks, edits, probes, files") {
			t.Errorf("%q is %v, %v", words, r, err)
		}
	}
}

// Nobody is refused what they may do, nor may do what they are refused.
func TestDeniedRights(t *testing.T) {
	for a := range needs {
		if why := Rights(0).ForbidAction(a, keys.Explore, keys.InRanking); why != "" {
			t.Errorf("%s: %s", a, why)
		}
		if AllRights.ForbidAction(a, keys.Explore, keys.InRanking) == "" {
			t.Errorf("%s is allowed", a)
		}
	}
	if AllRights.ForbidAction(keys.Undo, keys.Explore, keys.InRanking) != "" || AllRights.ForbidAction(keys.Undo,
		keys.Library, keys.InRuns) == "" {
		t.Error("undo is for a question, but on Library for the database")
	}
	if AllRights.ForbidAction(keys.Enter, keys.Probe, keys.InForm) != "" || AllRights.ForbidAction(keys.Enter,
		keys.Probe, keys.InStart) == "" || AllRights.ForbidAction(keys.Enter, keys.Explore, keys.InExportForms) == "" {
		t.Error("enter edits the form, but does not start a probe or write a file")
	}
}

// Beside the keys, the database itself refuses.
func TestGuardedWorkspace(t *testing.T) {
	ws, ctx := Without(AllRights, nil), context.Background() // reaching what is behind would panic
	for name, change := range map[string]func() error{
		"pick":     func() error { return ws.SavePick(ctx, contract.Pick{}) },
		"rename":   func() error { _, err := ws.Rename(ctx, nil); return err },
		"annotate": func() error { _, err := ws.Annotate(ctx, store.RunTable, 1, ""); return err },
		"delete":   func() error { _, err := ws.Delete(ctx, store.RunTable, 1); return err },
		"undelete": func() error { _, err := ws.Undelete(ctx, 0); return err },
		"merge":    func() error { _, err := ws.Merge(ctx, ""); return err },
		"backup":   func() error { _, err := ws.Backup(ctx, ""); return err },
		"import":   func() error { _, err := ws.Import(ctx, imports.Found{}, imports.Options{}, nil); return err },
	} {
		if err := change(); err == nil || !strings.Contains(err.Error(), "the owner of this server allows no ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if Without(0, ws) != ws {
		t.Error("whoever may do everything has something between")
	}
}
