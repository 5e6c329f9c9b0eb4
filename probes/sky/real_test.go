package sky

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sweetspot/engine/profile"
	"sweetspot/probes/porttest"
)

// Variable names the folder of an environment with SkyPilot from PyPI.
const Variable = "SWEETSPOT_SKY"

// planted is SkyPilot's catalog in these tests. Prices and sizes are made up.
var planted = []profile.VMType{
	vm("aws", "us-east-1", "g6.xlarge", "L4", 1, 0.80), vm("aws", "us-west-2", "g6.xlarge", "L4", 1, 0.81),
	vm("aws", "us-east-1", "g6.2xlarge", "L4", 1, 0.98), vm("aws", "us-east-1", "g6.12xlarge", "L4", 4, 4.60),
	vm("aws", "us-east-1", "p4d.24xlarge", "A100", 8, 21.9), vm("aws", "eu-west-1", "g4dn.xlarge", "T4", 1, 0.55),
	vm("gcp", "us-central1", "g2-standard-4", "L4", 1, 0.71), vm("gcp", "europe-west4", "a2-highgpu-1g", "A100", 1, 3.70),
	vm("gcp", "us-central1", "a2-highgpu-1g", "A100", 1, 3.67),
	vm("azure", "eastus", "Standard_NC24ads_A100_v4", "A100-80GB", 1, 3.60),
	vm("azure", "eastus", "Standard_NC4as_T4_v3", "T4", 1, 0.53),
	vm("lambda", "us-west-1", "gpu_1x_a100", "A100", 1, 1.29), vm("lambda", "us-east-1", "gpu_8x_a100", "A100", 8, 10.3),
	vm("runpod", "US", "1x_L4_SECURE", "L4", 1, 0.44), vm("runpod", "CA", "2x_L4_SECURE", "L4", 2, 0.88),
}

// columns are those of SkyPilot's catalogs, as its version 0.14 reads them.
const columns = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,Generation"

// plant writes the catalogs to a home, where SkyPilot would download them to. A spot VM is
// half the price.
func plant(t testing.TB, home string) (clouds []string) {
	t.Helper()
	files := map[string]string{
		"common/accelerators.csv":           "AcceleratorName,Clouds\n",
		"aws/images.csv":                    "Tag,Region,OS,OSVersion,ImageId,CreationDate,BaseImageId\n",
		"aws/instance_quota_mapping.csv":    "InstanceType,OnDemandInstanceQuotaCode,SpotInstanceQuotaCode\n",
		"gcp/images.csv":                    "Tag,Region,OS,OSVersion,ImageId,CreationDate\n",
		"gcp/accelerator_quota_mapping.csv": "Accelerator,Region,OnDemandInstanceQuotaCode,SpotInstanceQuotaCode\n",
		"azure/images.csv":                  "Tag,Region,OS,OSVersion,ImageId,CreationDate\n",
	}
	at := map[string][]string{} // the clouds of a GPU type
	for _, v := range planted {
		name, zone, zones := v.Cloud+"/vms.csv", "", ""
		if slices.Contains([]string{"aws", "gcp", "runpod"}, v.Cloud) { // the others have none
			zone, zones = ","+v.Region+"-a", ",AvailabilityZone"
		}
		if files[name] == "" {
			files[name] = columns + zones + "\n"
			clouds = append(clouds, v.Cloud)
		}
		usd, gpu := v.Prices[0].USDPerHour, fmt.Sprintf("%s,%d", v.GPU, v.GPUCount)
		if v.Cloud == "gcp" { // which lists GPUs and the machines that they are in one by one
			files[name] += fmt.Sprintf(",%s,,,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 24576}}]}\",0,0,%s,%s\n", gpu, v.Region,
				zone)
			gpu = ","
		}
		files[name] += fmt.Sprintf("%s,%s,4,16,,%g,%g,%s,V2%s\n", v.InstanceType, gpu, usd, usd/2, v.Region, zone)
		if at[v.GPU] = append(at[v.GPU], "'"+strings.ToUpper(v.Cloud)+"'"); v.Cloud == "aws" {
			files["aws/images.csv"] += fmt.Sprintf("skypilot:gpu-ubuntu-2204,%s,ubuntu,22.04,ami-0,20260101,ami-0\n", v.Region)
		}
	}
	for gpu, clouds := range at {
		files["common/accelerators.csv"] += fmt.Sprintf("%s,\"[%s]\"\n", gpu, strings.Join(clouds, ", "))
	}
	for name, text := range files {
		path := filepath.Join(home, ".sky", "catalogs", "v8", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return clouds
}

// real is SkyPilot with a home of its own.
type real struct {
	bin, home string
	clouds    []string // whose catalogs are planted
}

// newReal skips the test where SkyPilot is not set up. What it starts has its own home, ports
// and state.
func newReal(t *testing.T) real {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		t.Skip("SkyPilot is not set up: make test-frameworks does it, or " + Variable + " names its environment")
	}
	r := real{bin: filepath.Join(folder, "bin"), home: t.TempDir()}
	for name, value := range map[string]string{
		"HOME": r.home, "XDG_STATE_HOME": filepath.Join(r.home, "state"), "PATH": r.bin + ":" + os.Getenv("PATH"),
		"SKYPILOT_API_SERVER_LOCAL_PORT": porttest.Free(t), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1",
	} {
		t.Setenv(name, value)
	}
	r.clouds = plant(t, r.home)
	return r
}

// verdict is what SkyPilot makes of a task.
type verdict struct {
	Error, Name, Run, Setup, Workdir string
	Resources                        int
	Autostop                         []any
	Cloud, Region                    string
	InstanceType                     string `json:"instance_type"`
	Accelerators                     map[string]float64
	Spot                             bool
	USDPerHour                       float64 `json:"usd_per_hour"`
}

// judge is SkyPilot's own code in a process that answers one task after the other.
type judge struct {
	dir   string
	ask   io.WriteCloser
	tell  *bufio.Scanner
	tasks int
	words struct{ Clouds, Clusters, Jobs, Requests []string } // that this version has
}

func (r real) judge(t *testing.T) *judge {
	t.Helper()
	words := append([]string{"testdata/judge.py"}, r.clouds...)
	cmd := exec.CommandContext(t.Context(), filepath.Join(r.bin, "python"), words...)
	j := &judge{dir: t.TempDir()}
	var said bounded
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		j.ask, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.ask.Close(); _ = cmd.Wait() })
	j.tell = bufio.NewScanner(out)
	j.tell.Buffer(nil, mostOutput)
	if !j.tell.Scan() || json.Unmarshal(j.tell.Bytes(), &j.words) != nil {
		_ = j.ask.Close()
		_ = cmd.Wait()
		t.Fatalf("SkyPilot says nothing: %s", said.text.String())
	}
	return j
}

// of is the verdict on a task; without a choice of a VM type where it is only to be valid.
func (j *judge) of(t rapid.TB, task string, choose bool) (v verdict) {
	t.Helper()
	j.tasks++
	path := filepath.Join(j.dir, fmt.Sprintf("%d.yaml", j.tasks))
	if err := os.WriteFile(path, []byte(task), 0o600); err != nil {
		t.Fatal(err)
	}
	if !choose {
		path = "load " + path
	}
	if _, err := fmt.Fprintln(j.ask, path); err != nil {
		t.Fatal(err)
	}
	if !j.tell.Scan() {
		t.Fatalf("SkyPilot ended without an answer: %v", j.tell.Err())
	}
	if err := json.Unmarshal(j.tell.Bytes(), &v); err != nil {
		t.Fatalf("%v: %.300s", err, j.tell.Text())
	}
	return v
}

// serve starts the API server, as sky itself does, but without its limit of a minute.
func (r real) serve(t *testing.T) {
	t.Helper()
	port := os.Getenv("SKYPILOT_API_SERVER_LOCAL_PORT")
	log, err := os.Create(filepath.Join(r.home, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	server := exec.Command(filepath.Join(r.bin, "python"), "-m", "sky.server.server", "--host=127.0.0.1", "--port="+port)
	server.Stdout, server.Stderr, server.SysProcAttr = log, log, &syscall.SysProcAttr{Setpgid: true}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
		_ = server.Wait()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for !healthy(ctx, port) {
		select {
		case <-ctx.Done():
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("the API server does not answer: %s", text)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func healthy(ctx context.Context, port string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+port+"/api/health", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode == http.StatusOK
}
