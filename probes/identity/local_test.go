package identity

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sweetspot/probes/gpu"
)

// Firmware of the clouds, as their VMs show it in /sys/class/dmi/id.
var (
	nitro = map[string]string{"sys_vendor": "Amazon EC2", "product_name": "g5.xlarge", "bios_vendor": "Amazon EC2",
		"bios_version": "1.0", "chassis_asset_tag": "Amazon EC2"}
	xen = map[string]string{"sys_vendor": "Xen", "product_name": "HVM domU", "bios_vendor": "Xen",
		"bios_version": "4.11.amazon"}
	google = map[string]string{"sys_vendor": "Google", "product_name": "Google Compute Engine", "bios_vendor": "Google",
		"bios_version": "Google"}
	hyperV = map[string]string{"sys_vendor": "Microsoft Corporation", "product_name": "Virtual Machine",
		"bios_vendor": "American Megatrends Inc.", "chassis_asset_tag": "7783-7084-3265-9085-8269-3286-77"}
	desktop = map[string]string{"sys_vendor": "LENOVO", "product_name": "20XW", "bios_vendor": "LENOVO"}
	// Hyper-V that is not Azure
	lab = map[string]string{"sys_vendor": "Microsoft Corporation", "product_name": "Virtual Machine",
		"bios_vendor": "American Megatrends Inc.", "chassis_asset_tag": "0000-0001"}
)

const (
	awsAnswer = `{"accountId" : "123456789012", "billingProducts" : null, "instanceType" : "p3.2xlarge", "region" ` +
		`: "us-east-2", "version" : "2017-09-30"}`
	azureAnswer = `{"compute":{"azEnvironment":"AzurePublicCloud","location":"eastus","vmSize":"Standard_NC6","zone":"1"},"network":{}}`
)

func dmi(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func noGPU() ([]gpu.Device, string, error) { return nil, "", gpu.ErrNone }

// clouds speaks all three services as they are documented: AWS wants a token,
// fetched by PUT with its lifetime, GCP and Azure a header.
func clouds(hits *atomic.Int32) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-aws-ec2-metadata-token-ttl-seconds") == "" {
			http.Error(w, "no lifetime", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, "AQAEAOm==")
	})
	mux.HandleFunc("GET /latest/dynamic/instance-identity/document", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-aws-ec2-metadata-token") != "AQAEAOm==" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, awsAnswer)
	})
	google := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Metadata-Flavor") != "Google" {
				http.Error(w, "no flavour", http.StatusForbidden)
				return
			}
			fmt.Fprint(w, answer)
		}
	}
	mux.HandleFunc("GET /computeMetadata/v1/instance/machine-type",
		google("projects/123456789012/machineTypes/n1-highmem-8"))
	mux.HandleFunc("GET /computeMetadata/v1/instance/zone", google("projects/123456789012/zones/us-central1-a"))
	mux.HandleFunc("GET /metadata/instance", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata") != "true" || r.Header.Get("X-Forwarded-For") != "" ||
			r.URL.Query().Get("api-version") == "" {
			http.Error(w, `{"error":"Bad request"}`, http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, azureAnswer)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		mux.ServeHTTP(w, r)
	})
}

func TestAsksTheCloudOfTheFirmware(t *testing.T) {
	for _, c := range []struct {
		name     string
		firmware map[string]string
		metadata bool
		answers  []string
		requests int32
	}{
		{"EC2 on Nitro", nitro, true, []string{AWSDocument}, 2},
		{"EC2 on Xen", xen, true, []string{AWSDocument}, 2},
		{"Google", google, true, []string{GCPMachineType, GCPZone}, 2},
		{"Azure", hyperV, true, []string{AzureInstance}, 1},
		{"no firmware to read", nil, true, []string{AWSDocument, GCPMachineType, GCPZone, AzureInstance}, 5},
		{"a desktop", desktop, true, nil, 0},
		{"Hyper-V in a lab", lab, true, nil, 0},
		{"EC2, asked not to ask", nitro, false, nil, 0},
		{"no firmware, asked not to ask", nil, false, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hits atomic.Int32
			server := httptest.NewServer(clouds(&hits))
			defer server.Close()
			f := machine{dmi: dmi(t, c.firmware), service: server.URL, devices: noGPU}.facts(t.Context(), c.metadata)
			if hits.Load() != c.requests {
				t.Errorf("%d requests, want %d", hits.Load(), c.requests)
			}
			if len(f.Metadata) != len(c.answers) {
				t.Errorf("answers %q", f.Metadata)
			}
			for _, name := range c.answers {
				if f.Metadata[name] == "" {
					t.Errorf("no %s among %q", name, f.Metadata)
				}
			}
			if f.SysVendor != c.firmware["sys_vendor"] || f.BIOSVersion != c.firmware["bios_version"] ||
				f.ChassisAssetTag != c.firmware["chassis_asset_tag"] {
				t.Errorf("firmware %+v", f)
			}
		})
	}
}

func TestFactsOfThisMachine(t *testing.T) {
	two := func() ([]gpu.Device, string, error) {
		return []gpu.Device{{Name: "Tesla K80", MemoryBytes: 11 << 30}, {Name: "Tesla K80", MemoryBytes: 11 << 30}},
			"470.1", nil
	}
	f := machine{dmi: t.TempDir(), devices: two}.facts(t.Context(), false)
	if f.GPU != "Tesla K80" || f.GPUCount != 2 || f.GPUMemBytes == nil || *f.GPUMemBytes != 11<<30 {
		t.Errorf("%+v", f)
	}
	if host, _ := os.Hostname(); f.Host != host || f.CPUs == 0 || !strings.Contains(f.OS, "/") {
		t.Errorf("%+v", f)
	}
}

// hostile runs the question against a server that is not what it should be.
// The answers that got through come back.
func hostile(t *testing.T, h http.HandlerFunc) map[string]string {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	answer := make(chan map[string]string)
	go func() { answer <- ask(t.Context(), server.URL, []cloud{aws, gcp, azure}) }()
	select {
	case a := <-answer:
		return a
	case <-time.After(30 * time.Second): // metadataTimeout is a second
		t.Fatal("asking goes on for ever")
		return nil
	}
}

func TestHostileServices(t *testing.T) {
	var elsewhere, sent atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		elsewhere.Add(1)
		fmt.Fprint(w, "p3.2xlarge")
	}))
	defer other.Close()
	for name, h := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"redirects to self": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path,
				http.StatusFound)
		},
		"redirects to other": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"broken": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "p3.2xlarge", http.StatusInternalServerError)
		},
		"endless":          endless(&sent, 1<<16, 0),
		"a drop at a time": endless(&sent, 1, 10*time.Millisecond),
		"dies in the middle": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "p3.2xlarge")
		},
	} {
		t.Run(name, func(t *testing.T) {
			if a := hostile(t, h); len(a) != 0 {
				t.Errorf("took %.100q", a)
			}
		})
	}
	if elsewhere.Load() != 0 {
		t.Errorf("%d redirects followed", elsewhere.Load())
	}
	if sent.Load() > 64<<20 {
		t.Errorf("read on for %d bytes", sent.Load())
	}
}

// endless answers up to a GiB in chunks.
func endless(sent *atomic.Int64, chunk int, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for text := []byte(strings.Repeat("x", chunk)); sent.Load() < 1<<30 && r.Context().Err() == nil; {
			n, err := w.Write(text)
			if err != nil {
				return
			}
			sent.Add(int64(n))
			w.(http.Flusher).Flush()
			time.Sleep(pause)
		}
	}
}

// A token that would add a header of its own is not sent on.
func TestTokenInjection(t *testing.T) {
	var documents atomic.Int32
	a := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/latest/dynamic/instance-identity/document" {
			documents.Add(1)
		}
		if r.URL.Path == "/latest/api/token" {
			fmt.Fprint(w, "token\r\nX-Evil: 1")
			return
		}
		http.NotFound(w, r)
	})
	if len(a) != 0 || documents.Load() != 0 {
		t.Errorf("%d documents asked for, took %q", documents.Load(), a)
	}
}

// No proxy may answer for the metadata service. Loopback never goes through
// one, so a request here would prove nothing.
func TestNoProxy(t *testing.T) {
	if newClient(linkLocal).http.Transport.(*http.Transport).Proxy != nil {
		t.Error("metadata is asked for through a proxy")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var hits atomic.Int32
	server := httptest.NewServer(clouds(&hits))
	defer server.Close()
	if a := ask(ctx, server.URL, []cloud{aws}); len(a) != 0 || hits.Load() != 0 {
		t.Errorf("%d requests, %q", hits.Load(), a)
	}
}
