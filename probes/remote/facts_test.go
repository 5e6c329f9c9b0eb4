package remote

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"sweetspot/probes/identity"
)

// gathered runs the agent's module of facts against a metadata service and
// firmware of the test's own.
func gathered(t *testing.T, server *httptest.Server, vendor string, metadata bool) identity.Facts {
	t.Helper()
	text, err := sources.ReadFile("python/facts.py")
	if err != nil {
		t.Fatal(err)
	}
	ask := "False"
	if metadata {
		ask = "True"
	}
	program := string(text) + `
import json, sys
METADATA = sys.argv[1]
real = read
def read(path, limit=1 << 20):
    if path.startswith(DMI):
        return sys.argv[2] if path.endswith("sys_vendor") else ""
    return real(path, limit)
print(json.dumps(gather(` + ask + `)))
`
	out, err := exec.Command(need(t, "python3", "python3"), "-c", program, strings.TrimPrefix(server.URL, "http://"),
		vendor).Output()
	if err != nil {
		t.Fatal(err)
	}
	var f identity.Facts
	if err := json.Unmarshal(out, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCloudsAreAsked(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		mu.Unlock()
		switch {
		case r.Method == "PUT" && r.URL.Path == "/latest/api/token" &&
			r.Header.Get("X-aws-ec2-metadata-token-ttl-seconds") != "":
			_, _ = w.Write([]byte("token"))
		case r.URL.Path == "/latest/dynamic/instance-identity/document" &&
			r.Header.Get("X-aws-ec2-metadata-token") == "token":
			_, _ = w.Write([]byte(`{"instanceType":"p3.2xlarge"}`))
		case r.URL.Path == "/computeMetadata/v1/instance/machine-type" && r.Header.Get("Metadata-Flavor") == "Google":
			_, _ = w.Write([]byte("projects/1/machineTypes/n1-standard-8"))
		case r.URL.Path == "/computeMetadata/v1/instance/zone":
			http.Redirect(w, r, "/latest/api/token", http.StatusFound)
		case r.URL.Path == "/metadata/instance" && r.Header.Get("Metadata") == "true":
			_, _ = w.Write(make([]byte, 100<<10)) // longer than any answer
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	requests := func() []string { // since the last call
		mu.Lock()
		defer mu.Unlock()
		list := asked
		asked = nil
		return list
	}
	f := gathered(t, server, "Amazon EC2", true)
	if n := len(requests()); n != 2 || len(f.Metadata) != 1 ||
		f.Metadata[identity.AWSDocument] != `{"instanceType":"p3.2xlarge"}` || f.SysVendor != "Amazon EC2" {
		t.Errorf("%+v after %d requests", f, n)
	}
	f = gathered(t, server, "Google", true)
	if n := len(requests()); n != 2 || len(f.Metadata) != 1 ||
		f.Metadata[identity.GCPMachineType] != "projects/1/machineTypes/n1-standard-8" {
		t.Errorf("%+v after %d requests", f, n)
	}
	f = gathered(t, server, "", true)
	if n := len(requests()); n != 5 || len(f.Metadata) != 2 {
		t.Errorf("%+v after %d requests", f, n)
	}
	for vendor, metadata := range map[string]bool{"LENOVO": true, "Amazon EC2": false} {
		f = gathered(t, server, vendor, metadata)
		if n := len(requests()); n != 0 || len(f.Metadata) != 0 {
			t.Errorf("%s: %+v after %d requests", vendor, f, n)
		}
	}
}

// A service that does not answer holds nothing up for long.
func TestSilentCloud(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	begin := time.Now()
	if f := gathered(t, server, "", true); len(f.Metadata) != 0 || time.Since(begin) > 20*time.Second {
		t.Errorf("%+v after %s", f, time.Since(begin))
	}
}
