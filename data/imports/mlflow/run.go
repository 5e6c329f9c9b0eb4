package mlflow

import (
	"regexp"
	"slices"
	"strings"

	"sweetspot/data/imports/logged"
	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// stored is a run as MLflow has it, in files or in a database.
type stored struct {
	*logged.Run
	meta
	id       string
	settings logged.Settings
}

// begin notes when the run began, in seconds since 1970.
func (r *stored) begin(at float64) {
	if at > 0 && at < logged.LatestWall {
		r.Begin(at)
	}
}

var gpuPower = regexp.MustCompile(`^system/gpu_([0-9]+)_power_usage_watts$`)

// point takes a point of a metric.
func (r *stored) point(name string, p logged.Point) error {
	if !strings.HasPrefix(name, "system/") { // whose steps are their own
		return r.Add(name, logged.IsValidation("", name), p)
	}
	if power := gpuPower.FindStringSubmatch(name); power != nil {
		r.AddPower(power[1], p.Value)
	}
	return nil
}

// profile is what is known of the run beside its metrics.
func (r *stored) profile(given source.Given, experiment string) profile.Run {
	run := r.settings.Run(given, experiment, source.Text(r.RunName))
	run.Source = "MLflow " + source.Text(r.id)
	if r.RunName != "" {
		run.Source += " " + source.Text(r.RunName)
	}
	run.Status = status(r.Status)
	return run
}

// status is the project's word for MLflow's, which is a number in files and a word in
// databases.
func status(v any) profile.Status {
	switch {
	case v == 4 || v == "FAILED":
		return profile.Failed
	case slices.Contains([]any{1, 2, 5, "RUNNING", "SCHEDULED", "KILLED"}, v):
		return profile.Interrupted
	}
	return profile.Done
}
