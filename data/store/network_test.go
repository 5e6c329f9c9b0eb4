package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/bundle"
	"sweetspot/engine/profile"
)

// onNetwork makes folders and what is in them seem to be on a network disk.
func onNetwork(t *testing.T, magic int64, name string, folders ...string) {
	t.Helper()
	was := statfs
	t.Cleanup(func() { statfs = was })
	statfs = func(path string) (int64, string, error) {
		if _, err := os.Stat(path); err != nil {
			return 0, "", err
		}
		for _, folder := range folders {
			if path == folder || strings.HasPrefix(path, folder+"/") {
				return magic, name, nil
			}
		}
		return 0xef53, "", nil
	}
}

func TestNetworkDisks(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		magic int64
		name  string
		want  string
	}{
		{0x6969, "", "NFS"}, {0x517b, "", "SMB"}, {0xff534d42, "", "CIFS"}, {0x0bd00bd0, "", "Lustre"},
		{0x47504653, "", "GPFS"},
		{0x19830326, "", "BeeGFS"}, {0x00c36400, "", "CephFS"}, {0x01021997, "", "9p"},
		{magicFUSE, "fuse.sshfs", "fuse.sshfs"}, {magicFUSE, "fuse.glusterfs", "fuse.glusterfs"},
		{magicFUSE, "fuseblk", ""}, {magicFUSE, "fuse.gocryptfs", ""}, {magicFUSE, "", ""},
		{0xef53, "", ""}, {0x01021994, "", ""}, {0x9123683e, "", ""}, {0x58465342, "", ""}, {0x794c7630, "", ""},
	} {
		onNetwork(t, c.magic, c.name, dir)
		for _, path := range []string{dir, filepath.Join(dir, "not", "there.db")} {
			if got := networkOf(path); got != c.want {
				t.Errorf("%#x %s: %q, want %q", c.magic, c.name, got, c.want)
			}
		}
	}
}

// The kernel's answer is understood: the folder of a test is on a disk of this machine, and the
// name of its file system is found.
func TestStatfsOfThisMachine(t *testing.T) {
	dir := t.TempDir()
	if magic, _, err := statfs(dir); err != nil || magic == 0 {
		t.Errorf("%#x %v", magic, err)
	}
	if mountedAs("/proc") != "proc" {
		t.Errorf("/proc is mounted as %q", mountedAs("/proc"))
	}
	if _, _, err := statfs(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
}

// A named database is opened on a network disk only if the user says so.
func TestNetworkDiskNeedsAFlag(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	path := filepath.Join(dir, "p.db")
	openAt(t, path)
	onNetwork(t, 0x6969, "", dir)
	for _, open := range []func() (*Store, error){func() (*Store, error) { return Open(ctx, path) },
		func() (*Store, error) { return OpenExisting(ctx, path) },
		func() (*Store, error) { return Open(ctx, filepath.Join(dir, "new.db")) }} {
		_, err := open()
		oneSentence(t, err, "is on a network disk (NFS)", "sweetspot sync", "--network-disk")
	}
	if _, err := os.Stat(filepath.Join(dir, "new.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was made all the same: %v", err)
	}
	t.Setenv(NetworkVariable, "1")
	must(t, openAt(t, path).Close())
	t.Setenv(NetworkVariable, "")
	// Merging only reads it, from a copy.
	here := openAt(t, filepath.Join(t.TempDir(), "here.db"))
	before := filesIn(t, dir)
	if _, err := here.Merge(ctx, path); err != nil {
		t.Error(err)
	}
	if after := filesIn(t, dir); after != before {
		t.Errorf("reading left %s, not %s", after, before)
	}
}

func filesIn(t *testing.T, dir string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	return strings.Join(list, " ")
}

// Two machines have one home on a network disk. Each has a database of its own on its own disk,
// and both have all runs, those of an earlier version's database too.
func TestHomeOnNetworkDisk(t *testing.T) {
	ctx, share := t.Context(), t.TempDir()
	machines := []string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")}
	t.Setenv("XDG_DATA_HOME", share)
	t.Setenv(localVariable, machines[0])
	former := openAt(t, filepath.Join(share, "sweetspot", "profiles.db"))
	add := func(s *Store, model string) {
		d := description()
		d.Model.Name = model
		rec, err := s.Start(ctx, d)
		must(t, err)
		must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
	}
	add(former, "former")
	must(t, former.Close())
	onNetwork(t, 0x6969, "", share)

	var want []string
	for round := range 4 {
		machine := machines[round%2]
		t.Setenv(localVariable, machine)
		if !HasDefault() {
			t.Fatal("what is on the share is not seen")
		}
		s, err := OpenExisting(ctx, "")
		must(t, err)
		if !strings.HasPrefix(s.Path(), machine+"/") || len(s.Warnings()) > 0 {
			t.Fatalf("%s, %v", s.Path(), s.Warnings())
		}
		names := map[string]bool{}
		for _, r := range loadSet(t, s).Runs {
			names[r.Model] = true
		}
		if len(loadSet(t, s).Runs) != round+1 || !names["former"] || len(names) != round+1 {
			t.Fatalf("in round %d there are %v", round, names)
		}
		want = append(want, string(rune('a'+round)))
		add(s, want[round])
		must(t, s.Close())
		info, err := os.Stat(machine)
		must(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s is %o", machine, info.Mode().Perm())
		}
	}
	// A local folder that others can write is not used, nor one on the network disk.
	must(t, os.Chmod(machines[0], 0o770))
	t.Setenv(localVariable, machines[0])
	_, err := Open(ctx, "")
	oneSentence(t, err, "not a folder of yours alone", localVariable)
	t.Setenv(localVariable, filepath.Join(share, "here"))
	_, err = Open(ctx, "")
	oneSentence(t, err, "on a network disk too", localVariable)
	t.Setenv(localVariable, "here")
	_, err = Open(ctx, "")
	oneSentence(t, err, "not the path of a folder")
	// Where the share is gone, the database is there all the same.
	t.Setenv(localVariable, machines[1])
	bundles := filepath.Join(share, "sweetspot", "bundles")
	must(t, os.RemoveAll(bundles))
	must(t, os.WriteFile(bundles, nil, 0o600))
	s, err := Open(ctx, "")
	must(t, err)
	defer s.Close()
	if len(loadSet(t, s).Runs) != 5 || len(s.Warnings()) != 1 ||
		!strings.Contains(s.Warnings()[0], "could not be exchanged") {
		t.Errorf("%d runs, %v", len(loadSet(t, s).Runs), s.Warnings())
	}
}

// hostileItems are lines that no database writes.
var hostileItems = []string{
	`{"kind":"run","mark":"x","registers":{"name":{"stamp":"","value":["a","b"]}},"content":{"version":" 00000001/0000000000000000","columns":{"mode":5}}}`,
	`{"kind":"run","mark":"x","registers":{"name":{"stamp":"","value":["a","b"]}},"content":{"version":" 00000001/0000000000000000","columns":{"deleted":1}}}`,
	`{"kind":"run","mark":"x","registers":{"name":{"stamp":"","value":["a","b"]}},"content":{"version":" 00000001/0000000000000000","columns":{"iterations":9}}}`,
	`{"kind":"run","mark":"x","registers":{"name":{"stamp":"","value":["a","b"]}},"content":{"version":" 00000001/0000000000000000","columns":{"total_s":1e300}}}`,
	`{"kind":"run","mark":"x","content":{"version":" 00000001/0000000000000000","columns":{}}}`,
	`{"kind":"pick","mark":"x","content":{"version":" 00000001/0000000000000000","columns":{"query":"{}"}}}`,
	`{"kind":"price","mark":"nothing","registers":{"value":{"stamp":"","value":{"usd_per_hour":1}}}}`,
	`{"kind":"vm_type","mark":"[\"a\",\"b\",\"c\"]","registers":{"value":{"stamp":"","value":{"gpu_count":"many"}}}}`,
	`{"kind":"model","mark":"m","registers":{"value":{"stamp":"","value":{"name); DROP TABLE runs; --":"x"}}}}`,
}

// A bundle that is cut off, damaged, too new or hostile is left out with one sentence, and the
// others are read. Deleted, it is written again by whoever has its runs.
func TestSyncLeavesOutWhatItCannotRead(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	folder := bundle.Directory{Path: filepath.Join(dir, "shared")}
	a, b := openAt(t, filepath.Join(dir, "a.db")), openAt(t, filepath.Join(dir, "b.db"))
	for i := range 3 {
		rec, err := a.Start(ctx, description())
		must(t, err)
		must(t, rec.Append(ctx, Batch{Iterations: series(2500)}))
		must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
		done, err := a.Sync(ctx, folder)
		must(t, err)
		if done.SentRuns != 1 || done.Written != 1 || done.Runs != 0 {
			t.Fatalf("%d: %+v", i, done)
		}
	}
	names, err := folder.List(ctx)
	must(t, err)
	first := filepath.Join(folder.Path, names[0])
	content, err := os.ReadFile(first)
	must(t, err)
	must(t, os.WriteFile(first, content[:len(content)/2], 0o600))
	for i, line := range hostileItems {
		w := bundle.NewWriter("evil", len(steps))
		must(t, w.Write(json.RawMessage(line)))
		content, err := w.Bytes()
		must(t, err)
		must(t, folder.Add(ctx, bundle.FileName("evil", int64(i), content), content))
	}
	done, err := b.Sync(ctx, folder)
	must(t, err)
	if done.Runs != 2 || len(done.Warnings) != 1+len(hostileItems) {
		t.Errorf("%+v", done)
	}
	for _, w := range done.Warnings {
		oneSentence(t, errors.New(w), "was left out", ";")
	}
	var orphans int
	must(t, b.read.QueryRow("SELECT count(*) FROM pragma_foreign_key_check").Scan(&orphans))
	if its, err := b.Iterations(ctx, 1); err != nil || len(its) != 2500 || orphans > 0 {
		t.Errorf("%d iterations, %d orphans, %v", len(its), orphans, err)
	}
	must(t, os.Remove(first))
	done, err = a.Sync(ctx, folder)
	must(t, err)
	if done.SentRuns != 1 {
		t.Errorf("written again: %+v", done)
	}
	if done, err = b.Sync(ctx, folder); err != nil || done.Runs != 1 || len(loadSet(t, b).Runs) != 3 {
		t.Errorf("%+v %v", done, err)
	}
}
