package remote

import (
	"path/filepath"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
)

// Two databases exchange their runs through a folder on a host with a real sshd.
func TestSyncOverSSH(t *testing.T) {
	s := serve(t)
	folder := Folder{s.host, filepath.Join(t.TempDir(), "our runs")}
	ctx := t.Context()
	var dbs []*store.Store
	for _, model := range []string{"a", "b"} {
		db, err := store.Open(ctx, filepath.Join(t.TempDir(), "p.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Import(ctx, &profile.Set{Runs: []profile.Run{{Model: model, Mode: profile.Train,
			Status: profile.Done}}}); err != nil {
			t.Fatal(err)
		}
		dbs = append(dbs, db)
	}
	for i, want := range []store.Synced{{Written: 1, SentRuns: 1, SentChanges: 1},
		{Read: 1, Runs: 1, Written: 1, SentRuns: 1, SentChanges: 1}, {Read: 1, Runs: 1}, {}} {
		done, err := dbs[i%2].Sync(ctx, folder)
		if err != nil || done.Read != want.Read || done.Runs != want.Runs || done.Written != want.Written ||
			done.SentRuns != want.SentRuns || done.SentChanges != want.SentChanges || len(done.Warnings) > 0 {
			t.Errorf("sync %d: %+v, want %+v; %v", i, done, want, err)
		}
	}
	for _, db := range dbs {
		set, err := db.Load(ctx)
		if err != nil || len(set.Runs) != 2 {
			t.Errorf("%d runs, %v", len(set.Runs), err)
		}
	}
}
