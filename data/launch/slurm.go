package launch

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/data/shellwords"
)

// Slurm writes a batch script. It asks for nodes with GPUs, wherever they come
// from.
var Slurm = &Format{
	Name: "slurm", Title: "Slurm", Extension: ".sbatch", byNode: true,
	write: func(j *job) (string, error) { return j.slurm(), nil },
}

// slurm is a batch script; several VM types make it a heterogeneous job.
func (j *job) slurm() string {
	var b strings.Builder
	b.WriteString("#!/usr/bin/env bash\n")
	for i, p := range j.parts {
		if i > 0 {
			b.WriteString("#SBATCH hetjob\n")
		}
		b.WriteString(j.sbatch(i, p))
	}
	b.WriteString(comment(append(j.remarks(), j.slurmHints()...)))
	b.WriteString("set -euo pipefail\n\n")
	b.WriteString("if [ $# -eq 0 ]; then\n  echo \"give the command to run: sbatch FILE COMMAND…\" >&2\n  exit 2\nfi\n\n")
	if len(j.parts) == 1 {
		return b.String() + exports(j.settings(j.parts[0])) + "srun \"$@\"\n"
	}
	common := j.settings(part{count: 1})
	b.WriteString(exports(common[:len(common)-1]) + "\nsteps=()\n")
	for i, p := range j.parts {
		for _, s := range p.settings() {
			fmt.Fprintf(&b, "%s=%s ", s.name, shellwords.Quoted(s.value))
		}
		fmt.Fprintf(&b, "srun --het-group=%d \"$@\" &\nsteps+=($!)\n", i)
	}
	return b.String() + "for step in \"${steps[@]}\"; do\n  wait \"$step\"\ndone\n"
}

// sbatch are the options of a part's nodes, which it has to itself as the
// estimate supposes.
func (j *job) sbatch(i int, p part) string {
	options := []string{"--job-name=" + j.vmName(i), fmt.Sprintf("--nodes=%d", p.count), "--ntasks-per-node=1",
		"--exclusive"}
	if p.gpus != nil && *p.gpus > 0 {
		options = append(options, fmt.Sprintf("--gres=gpu:%d", *p.gpus))
	}
	if limit, ok := j.timeLimit(); ok {
		options = append(options, "--time="+limit)
	}
	return "#SBATCH " + strings.Join(options, "\n#SBATCH ") + "\n"
}

// mostMinutes is a year: a longer limit is none.
const mostMinutes = 366 * 24 * 60

// timeLimit is the upper end of the time's interval in whole minutes, as
// days-hours:minutes:seconds.
func (j *job) timeLimit() (limit string, ok bool) {
	high := j.pick.Candidate.Time.High
	if high == nil {
		return "", false
	}
	minutes := math.Max(1, math.Ceil(*high/60))
	if !(minutes <= mostMinutes) {
		return "", false
	}
	m := int(minutes)
	return fmt.Sprintf("%d-%02d:%02d:00", m/(24*60), m/60%24, m%60), true
}

// slurmHints say what a cluster names in its own way.
func (j *job) slurmHints() []string {
	lines := []string{"", "Submit: sbatch FILE COMMAND… runs the command once on each node, with the pick's " +
		"settings as PICK_… variables."}
	if _, ok := j.timeLimit(); ok {
		lines = append(lines, "Limit: --time is the upper end of the estimate's 90 % interval; one run in twenty takes "+
			"longer.")
	} else {
		lines = append(lines, "Limit: the running time is unknown, so --time is not set.")
	}
	for _, p := range j.parts {
		if p.instanceType != "" {
			lines = append(lines, "Nodes: if your nodes have their VM type as a feature, add --constraint="+p.instanceType)
		}
		if p.hasGPU() && p.gpus == nil {
			lines = append(lines, "GPUs: the number of GPUs of "+p.machine()+" is unknown; add --gres=gpu:N")
		}
		if !p.hasGPU() && p.gpus == nil {
			lines = append(lines, "GPUs: whether "+p.machine()+" has any is unknown; if it has, add --gres=gpu:N")
		}
	}
	return lines
}
