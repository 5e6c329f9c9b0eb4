package request

import (
	"os"
	"path/filepath"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/identity"
	"sweetspot/probes/session"
)

// Who follows a matrix again learns the VM type and its price from the host, as who began
// it would have.
func TestRejoinedHostsArePlaced(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("XDG_STATE_HOME", dir)
	program := []byte("#!/bin/sh\necho '[]'\n")                                     // which knows of no cluster
	if err := os.WriteFile(filepath.Join(dir, "sky"), program, 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	db := openStore(t)
	rec, err := db.Start(t.Context(), store.Description{Command: []string{"python3", "train.py"}, Mode: profile.Train,
		Address: "sky:/L4", Spool: "~/.local/state/sweetspot/queue/00112233445566aa000000"})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(t.Context(), store.Finish{Run: profile.Run{Status: profile.Failed}}); err != nil {
		t.Fatal(err)
	}
	all, err := ListQueued(t.Context(), db)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	vm := profile.VMType{Cloud: "gcp", Region: "us-central1", InstanceType: "g2-standard-4", GPU: "L4", GPUCount: 1,
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 0.71}}}
	f, err := Rejoin(t.Context(), db, all[0], Engines{VMTypes: []profile.VMType{vm}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Wait()
	defer f.Leave()
	var o session.Options
	for _, c := range f.queued.cells {
		o = c.options
	}
	var m store.Machine
	o.Place(identity.Facts{Metadata: map[string]string{identity.GCPMachineType: "projects/1/machineTypes/g2-standard-4",
		identity.GCPZone: "projects/1/zones/us-central1-a"}}, &m)
	if m.VM != vm.Key() || m.USDPerHour == nil || *m.USDPerHour != 0.71 || m.Host != "L4" {
		t.Errorf("placed as %+v", m)
	}
}
