package launch

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/contract"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

func written(t testing.TB, p contract.Pick, f *Format) string {
	t.Helper()
	text, err := f.Text(p)
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return text
}

// vm is a number of VMs of a cloud with a GPU each.
func vm(cloud, region, instanceType, gpu string, count int) contract.Part {
	return contract.Part{
		Cloud: &cloud, Region: &region, InstanceType: &instanceType, GPU: &gpu, GPUCount: new(1), Count: count,
		USDPerHour: new(0.9), PriceFrom: new("price list 2021-03-01"),
	}
}

// training is a typical pick, on these VMs.
func training(purchase string, vms ...contract.Part) contract.Pick {
	return contract.Pick{
		PickedAt: "2026-01-02T02:04:05Z", EstimatedBy: "sweetspot 1.2.3",
		Candidate: contract.Candidate{
			Model: "seismic/FCN", Variant: "pruned 30 %", Precision: new("fp16"), Mode: "train", Configuration: vms,
			BatchSize: new(256), Epochs: new(13.0), Purchase: purchase,
			Time: contract.Seconds{S: new(3500.0), Range: contract.Range{
				Low: new(3400.0), High: new(3601.0), Basis: new("measured")}},
			Cost: contract.Dollars{USD: new(0.875), Range: contract.Range{
				Low: new(0.85), High: new(0.91), Basis: new("measured")}},
			Accuracy: &contract.Accuracy{Metric: "top-1", Value: 0.9, Low: 0.88, High: 0.92, Basis: "measured",
				HigherIsBetter: true},
			Sources: []int64{3, -17},
		},
	}
}

// inference is a pick of a plan, on two types of VM.
func inference(purchase string, vms ...contract.Part) contract.Pick {
	p := training(purchase, vms...)
	c := &p.Candidate
	c.Mode, c.Epochs, c.BatchSize, c.Units, c.Accuracy = "infer", nil, nil, new(1e6), nil
	for i := range vms {
		vms[i].BatchSize, vms[i].Units = new(32<<i), new(750e3-500e3*float64(i))
	}
	return p
}

func picks() map[string]contract.Pick {
	return map[string]contract.Pick{
		"aws":    training("on-demand", vm("aws", "us-east-1", "p2.xlarge", "K80", 1)),
		"gcp":    training("spot", vm("gcp", "us-central1", "n1-highmem-8+1xV100", "V100-SXM2-16GB", 2)),
		"azure":  training("reserved-1y", vm("azure", "", "NC6", "K80", 2)),
		"lambda": training("on-demand", vm("lambda", "", "lambda-1xH10080GB", "H100-80GB", 1)),
		"combined": inference("spot", vm("aws", "us-east-1", "p3.2xlarge", "V100-SXM2-16GB", 3),
			vm("aws", "us-west-2", "g4dn.xlarge", "T4", 1)),
	}
}

func TestGolden(t *testing.T) {
	for name, p := range picks() {
		for _, f := range Formats {
			text, err := f.Text(p)
			if err != nil {
				golden(t, name+"-"+f.Name+".error", err.Error()+"\n")
				continue
			}
			golden(t, name+"-"+f.Name+f.Extension, text)
		}
	}
}

// own is a machine of one's own of which little is known.
func own() contract.Pick {
	return training("on-demand", contract.Part{Host: new("desk"), Count: 1})
}

func TestWhatDoesNotFitSaysWhatDoes(t *testing.T) {
	for _, c := range []struct {
		pick   contract.Pick
		format *Format
		want   string
	}{
		{picks()["aws"], GCloud, "gcloud launches on gcp, not p2.xlarge of aws; write it as skypilot, aws, terraform, " +
			"slurm or kubernetes"},
		{picks()["azure"], Terraform, "terraform launches on aws and gcp, not NC6 of azure; write it as skypilot, az, " +
			"slurm or kubernetes"},
		{picks()["combined"], SkyPilot, "a task of skypilot has VMs of one type, and this pick has 2; write it as aws, " +
			"terraform, slurm or kubernetes"},
		{own(), AWS, "aws launches on aws, not desk, a machine of your own; write it as slurm or kubernetes"},
		{own(), SkyPilot, "skypilot launches on clouds, not desk, a machine of your own; write it as slurm or kubernetes"},
		{training("on-demand", vm("aws", "us-east-1", "ml.p3.2xlarge", "V100", 1)), AWS, "ml.p3.2xlarge is rented " +
			"through SageMaker, which aws does not launch; write it as slurm"},
		{picks()["lambda"], Kubernetes, "lambda-1xH10080GB is a price list's name for a VM type of lambda, which " +
			"kubernetes cannot ask for; write it as skypilot or slurm"},
		{training("on-demand", vm("runpod", "", "runpod-8xA4048GB", "A40", 1)), SkyPilot, "runpod-8xA4048GB is a price " +
			"list's name for a VM type of runpod, which skypilot cannot ask for; write it as slurm"},
		{training("on-demand"), AWS, "this pick names no VM: pick a candidate again"},
		{training("on-demand", vm("aws", "us-east-1", "$(id)", "V100", 1)), Slurm,
			`"$(id)" is not the name of a VM type, region or host that can be launched: such names consist of letters, ` +
				`digits, dots, dashes and underscores`},
		{training("on-demand", vm("aws", "us-east-1", "p2.xlarge", "V100", 0)), Slurm,
			"this pick has 0 VMs of p2.xlarge: pick a candidate again"},
	} {
		if text, err := c.format.Text(c.pick); err == nil || err.Error() != c.want || text != "" {
			t.Errorf("%s: %v\nwant %s", c.format, err, c.want)
		}
	}
}

// What is said of estimate, prices and their date, and how to verify them, is in
// every format.
func TestEveryFormatSaysWhatItRestsOn(t *testing.T) {
	for name, p := range picks() {
		for _, f := range Formats {
			text, err := f.Text(p)
			if err != nil {
				continue
			}
			for _, want := range []string{
				"58 m 20 s, 90 % between 56 m 40 s and 1 h 00 m (measured)", "$0.88, 90 % between $0.85 and $0.91 (measured)",
				"$0.90/h each, " + p.Candidate.Purchase + " (price list 2021-03-01)", "run 3; built-in library, run 17",
				"sweetspot probe --name=seismic/FCN --mode=" + p.Candidate.Mode + " --vm=",
				"2026-01-02T02:04:05Z with sweetspot 1.2.3",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%s as %s does not say %q", name, f, want)
				}
			}
		}
	}
}

func TestOwnMachine(t *testing.T) {
	slurm, kubernetes := written(t, own(), Slurm), written(t, own(), Kubernetes)
	for _, text := range []string{slurm, kubernetes} {
		if !strings.Contains(text, "Price: unknown") || !strings.Contains(text, "--mode=train -- COMMAND\n") ||
			strings.Contains(text, "\n#SBATCH --gres") || strings.Contains(text, "limits:") {
			t.Errorf("GPUs or a VM type were made up in\n%s", text)
		}
	}
	if !strings.Contains(slurm, "add --gres=gpu:N") || !strings.Contains(kubernetes, `kubernetes.io/hostname: "desk"`) {
		t.Errorf("%s\n%s", slurm, kubernetes)
	}
}

func TestTimeLimit(t *testing.T) {
	for _, c := range []struct {
		high *float64
		want string
	}{
		{new(0.2), "0-00:30:00"}, {new(600.0), "0-00:30:00"}, {new(601.0), "0-00:31:00"}, {new(3601.0), "0-01:46:00"},
		{new(90000.0), "1-13:45:00"}, {nil, ""}, {new(1e300), ""}, {new(366 * 86400.0), ""},
	} {
		p := picks()["aws"]
		p.Candidate.Time.High = c.high
		text := written(t, p, Slurm)
		_, after, found := strings.Cut(text, "\n#SBATCH --time=")
		got, _, _ := strings.Cut(after, "\n")
		if found != (c.want != "") || got != c.want {
			t.Errorf("a limit of %q, want %q", got, c.want)
		}
	}
}

func TestSlugs(t *testing.T) {
	for in, want := range map[string]string{
		"seismic/FCN": "sweetspot-seismic-fcn", "": "sweetspot", "--": "sweetspot", "größe": "sweetspot-gr-e",
		"$(rm -rf /)":             "sweetspot-rm-rf",
		strings.Repeat("a", 99):   "sweetspot-" + strings.Repeat("a", 40),
		strings.Repeat("ab-", 99): "sweetspot-" + strings.Repeat("ab-", 13) + "a",
	} {
		if got := Slug(in); got != want || len(got) > longestName {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestGPUNames(t *testing.T) {
	for in, want := range map[string]string{
		"V100-SXM2-16GB": "V100", "Tesla V100-SXM3-32GB": "V100-32GB", "NVIDIA A100 80GB PCIe": "A100-80GB",
		"A100-SXM4-80GB": "A100-80GB", "a100": "A100",
		"NVIDIA H100 80GB HBM3": "H100", "H100 PCIe": "", "T4": "T4", "T4G": "T4g", "L4": "L4", "L40S": "L40S", "K80": "K80",
		"RTX 4090": "", "": "",
	} {
		if got, ok := knownGPU(in); got != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// Every case of the formats is in a golden file: a spot flag, a suffix.
func TestPurchases(t *testing.T) {
	for _, c := range []struct {
		cloud, vm string
		format    *Format
		spot      string
	}{
		{"aws", "p2.xlarge", AWS, "--instance-market-options=MarketType=spot"}, {"aws", "p2.xlarge", Terraform,
			"instance_market_options"},
		{"aws", "p2.xlarge", SkyPilot, "use_spot: true"}, {"aws", "p2.xlarge", Kubernetes, "eks.amazonaws.com/capacityType"},
		{"gcp", "a2-highgpu-1g", GCloud, "--provisioning-model=SPOT"}, {"gcp", "a2-highgpu-1g", Terraform,
			`provisioning_model          = "SPOT"`},
		{"gcp", "a2-highgpu-1g", Kubernetes, "cloud.google.com/gke-spot"},
		{"azure", "NC6", Az, "--priority=Spot"}, {"azure", "NC6", Kubernetes, "kubernetes.azure.com/scalesetpriority"},
	} {
		for _, purchase := range []string{"on-demand", "spot", "reserved-1y", "reserved-3y"} {
			got := written(t, training(purchase, vm(c.cloud, "here", c.vm, "A100", 1)), c.format)
			if strings.Contains(got, c.spot) != (purchase == "spot") {
				t.Errorf("%s of %s bought %s:\n%s", c.format, c.cloud, purchase, got)
			}
			if strings.Contains(got, "launches no reservation") != strings.HasPrefix(purchase, "reserved") {
				t.Errorf("%s bought %s: the reservation", c.format, purchase)
			}
		}
	}
	if !slices.Contains(Formats, Az) {
		t.Error("no az")
	}
}

// withCommand is a pick whose command was measured, in a folder that is there.
func withCommand(t *testing.T) contract.Pick {
	t.Helper()
	p := picks()["aws"]
	folder := t.TempDir()
	p.RunWords = []string{"python3", "my train.py", "--batch-size", "256", "--hf-token", "${HF_TOKEN}", "$(touch x)"}
	p.RunBatch, p.RunFolder = new(256), &folder
	return p
}

// The measured command is what is run: by each format as far as it runs one.
func TestTheMeasuredCommandIsRun(t *testing.T) {
	p := withCommand(t)
	const line = `python3 'my train.py' --batch-size 256 --hf-token "${HF_TOKEN}" '$(touch x)'`
	for _, f := range []*Format{SkyPilot, AWS, Terraform, Slurm, Kubernetes} {
		text := written(t, p, f)
		if !strings.Contains(text, "# Command: "+line+" was measured in ") || !strings.Contains(text, "p2.xlarge -- "+line) ||
			strings.Contains(text, "COMMAND being") || strings.Contains(text, "Batch size:") {
			t.Errorf("%s says\n%s", f, text)
		}
	}
	var task struct {
		Workdir, Setup, Run string
		Envs                map[string]string
	}
	if err := yaml.Unmarshal([]byte(written(t, p, SkyPilot)), &task); err != nil {
		t.Fatal(err)
	}
	if task.Workdir != *p.RunFolder || task.Envs["COMMAND"] != line || !strings.Contains(task.Setup, "python3 -m venv") ||
		!strings.Contains(task.Run, "sweetspot-env/bin") {
		t.Errorf("%+v", task)
	}
	if text := written(t, p, Slurm); !strings.Contains(text, "  set -- "+line+"\n  if [ -d '"+*p.RunFolder+"' ]; then\n") {
		t.Errorf("slurm runs\n%s", text)
	}
	if text := written(t, p, Kubernetes); !strings.Contains(text, `"$${HF_TOKEN}\" '$$(touch x)'"`) ||
		!strings.Contains(text, "activeDeadlineSeconds: ") {
		t.Errorf("kubernetes runs\n%s", text)
	}
	// Nothing in the folder says what it needs: that is what it had imported, and no more.
	p.RunPackages = []string{"torch==2.4.1", "x==1; rm -rf ~", "-r==1"}
	if text := written(t, p, SkyPilot); !strings.Contains(text, "pip install -q 'torch==2.4.1' || {") ||
		strings.Contains(text, "rm -rf") || strings.Contains(text, "-r==1") {
		t.Errorf("skypilot sets up\n%s", text)
	}
	// At a batch size that it has no flag for, it says so; a folder that is gone is not copied.
	p.RunBatch, *p.RunFolder = new(64), "/no/such/folder"
	text := written(t, p, SkyPilot)
	if !strings.Contains(text, "# Batch size: the command has no flag that is known to set it; have it use 256.") ||
		strings.Contains(text, "workdir") {
		t.Errorf("skypilot says\n%s", text)
	}
	// What no line of a comment can hold is left out.
	p.RunWords = []string{"sh", "-c", "one\n#SBATCH --wrap=two"}
	for _, f := range []*Format{SkyPilot, Slurm} {
		if text := written(t, p, f); strings.Contains(text, "wrap") || !strings.Contains(text, "COMMAND being") {
			t.Errorf("%s says\n%s", f, text)
		}
	}
}
