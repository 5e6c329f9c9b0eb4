package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"sweetspot/engine/profile"
)

func rentalOf(vm profile.VMType) Rental {
	return Rental{Name: "sweetspot-0123abcd", VM: vm, Limit: 20 * time.Minute, Folder: "/home/me/my project",
		Files: []string{"./train.py", "./-rf"}, Setup: []string{`python3 -m venv "$env"`},
		Probe: []string{"sweetspot", "probe", "--", "python3", "train.py"}}
}

func typed(cloud, region, instance, gpu string, n int) profile.VMType {
	return profile.VMType{Cloud: cloud, Region: region, InstanceType: instance, GPU: gpu, GPUCount: n,
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 0.9, AsOf: "2026-11"}}}
}

var rentable = map[*Renter]profile.VMType{
	SkyRenter: typed("aws", "us-east-1", "g6.xlarge", "L4", 1), awsRenter: typed("aws", "us-east-1", "g6.xlarge", "L4", 1),
	gcloudRenter: typed("gcp", "us-central1", "n1-standard-8+2xT4", "T4", 2),
}

func TestGoldenRentals(t *testing.T) {
	for tool, vm := range rentable {
		files, err := tool.Files(rentalOf(vm))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, name := range []string{RentalScript, "task.yaml", "user-data", "setup.sh"} {
			if text, ok := files[name]; ok {
				all.WriteString("==> " + name + "\n" + text)
			}
		}
		golden(t, "rental-"+tool.Name+".txt", all.String())
		if files["files"] != "./train.py\x00./-rf\x00" {
			t.Errorf("the list of files is %q", files["files"])
		}
	}
}

// The cost at most is that of the whole life, not of the use alone.
func TestRentalBound(t *testing.T) {
	r := rentalOf(rentable[SkyRenter])
	if usd := r.MostUSD(); usd == nil || *usd < 0.9*33/60-1e-9 || *usd > 0.9*33/60+1e-9 {
		t.Errorf("at most %v", usd)
	}
	r.VM.Prices = nil
	if usd := r.MostUSD(); usd != nil || !strings.Contains(r.Bound(), "unknown") {
		t.Errorf("without a price: %v, %s", usd, r.Bound())
	}
}

// SkyPilot ends the VM whatever goes on there.
func TestRentalTask(t *testing.T) {
	files, err := SkyRenter.Files(rentalOf(rentable[SkyRenter]))
	if err != nil {
		t.Fatal(err)
	}
	var task struct {
		Setup, Workdir string
		Resources      struct {
			Infra        string
			InstanceType string `yaml:"instance_type"`
			Accelerators map[string]int
			Autostop     struct {
				IdleMinutes int `yaml:"idle_minutes"`
				Down        bool
				WaitFor     string `yaml:"wait_for"`
			}
		}
	}
	if err := yaml.Unmarshal([]byte(files["task.yaml"]), &task); err != nil {
		t.Fatal(err)
	}
	r := task.Resources
	if r.Infra != "aws/us-east-1" || r.InstanceType != "g6.xlarge" || r.Accelerators["L4"] != 1 ||
		r.Autostop.IdleMinutes != 20 || !r.Autostop.Down || r.Autostop.WaitFor != "none" || task.Setup != "" {
		t.Errorf("%+v of\n%s", task, files["task.yaml"])
	}
}

func TestWhatCannotBeRented(t *testing.T) {
	for want, vm := range map[string]profile.VMType{
		"of no cloud":             typed("", "", "desk", "", 0),
		"launches on aws":         typed("gcp", "us-central1", "n1-standard-8", "", 0),
		"not the name of a VM":    typed("aws", "us-east-1", "x; reboot", "", 0),
		"which aws cannot ask":    typed("aws", "", "aws-1xL4", "L4", 1),
		"rented through SageMake": typed("aws", "us-east-1", "ml.g5.xlarge", "A10G", 1),
	} {
		if _, err := awsRenter.Files(rentalOf(vm)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Whatever the folder and the command are called, Bash takes them for what they are.
func TestHostileRentals(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		lack(t, "bash")
	}
	for _, name := range hostileNames {
		if strings.ContainsRune(name, 0) {
			continue // no path and no argument holds one
		}
		dir := t.TempDir()
		folder := filepath.Join(dir, "in", name)
		if os.MkdirAll(folder, 0o755) != nil {
			continue // too long, for one
		}
		r := rentalOf(rentable[SkyRenter])
		r.Folder, r.Probe = folder, []string{"printf", `%s\0`, name}
		files, err := SkyRenter.Files(r)
		if err != nil {
			t.Fatal(err)
		}
		script := files[RentalScript]
		body, _, _ := strings.Cut(script, "\nsay \"renting")
		at := strings.Index(body, "\nprobe() {")
		out, err := exec.Command(bash, "-c", body[at:strings.Index(body, "\nsay() {")]+"\nprobe").Output()
		if err != nil || string(out) != name+"\x00" {
			t.Errorf("%q came back as %q, %v", name, out, err)
		}
	}
}

// shellcheck finds nothing in any of the scripts.
func TestRentalScriptsAreSound(t *testing.T) {
	check, err := exec.LookPath("shellcheck")
	if err != nil {
		lack(t, "shellcheck")
	}
	for tool, vm := range rentable {
		files, err := tool.Files(rentalOf(vm))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(check, "--shell=bash", "-")
		cmd.Stdin = strings.NewReader(files[RentalScript])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %s", tool, out)
		}
	}
}
