package jobtrace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
)

// A log in the form of Philly's, of our own making: its second job is the
// earliest, and of its ten jobs three can be used.
const phillyLog = `[
  {"status": "Pass", "vc": "aa", "jobid": "application_1", "submitted_time": "2017-10-09 07:01:11", "user": "u1", "attempts": [
    {"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]},
    {"start_time": "2017-10-09 08:00:00", "end_time": "2017-10-10 08:00:30", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu5"]}]}]},
  {"status": "Failed", "vc": "aa", "jobid": "application_2", "submitted_time": "2017-10-09 07:00:00", "user": "u1", "attempts": []},
  {"status": "Killed", "vc": "bb", "jobid": "application_3", "submitted_time": "2017-10-09 07:01:00", "user": "u2", "attempts": [
    {"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:02:10", "detail": [{"ip": "m3", "gpus": ["gpu0", "gpu1", "gpu2", "gpu3"]}]},
    {"start_time": "2017-10-09 07:05:00", "end_time": null, "detail": []}]},
  {"status": "Running", "submitted_time": "2017-10-09 07:01:02", "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "None", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
  {"status": "Pass", "submitted_time": "2017-10-09 07:01:03", "attempts": [{"start_time": "", "end_time": "2017-10-09 07:02:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
  {"status": "Pass", "submitted_time": "None", "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
  {"status": "Pass", "submitted_time": "2017-10-09 07:01:04", "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": null}]},
  {"status": "Pass", "submitted_time": "2017-10-09 07:01:05", "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:02:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
  {"status": "Pass", "submitted_time": "2017-11-05 00:30:00", "attempts": [
    {"start_time": "2017-11-05 01:50:00", "end_time": "2017-11-05 01:10:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]},
    {"start_time": "2017-11-05 01:20:00", "end_time": "2017-11-05 01:20:01", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
  {"status": "Pass", "submitted_time": "2017-10-09 07:01:06"}
]
`

func TestReadLog(t *testing.T) {
	for name, in := range map[string]string{"plain": phillyLog, "marked": "\ufeff\n\t " +
		phillyLog, "zipped": zipped(phillyLog)} {
		trace, err := Read(strings.NewReader(in))
		if err != nil {
			t.Fatal(name, err)
		}
		jobs := []fleet.Job{
			{SubmitS: 60, RuntimeS: 10, DeadlineS: nan, GPUs: 4},
			{SubmitS: 71, RuntimeS: 60 + 86400 + 30, DeadlineS: nan, GPUs: 3},
			{SubmitS: 27*86400 - 6.5*3600, RuntimeS: 1, DeadlineS: nan, GPUs: 1},
		}
		notes := []string{
			"the jobs were not sorted by submission time; they were sorted",
			"1 job without a submission time left out", "4 jobs that never ended left out",
			"1 job without runtime left out",
			"1 job without GPUs left out", "1 attempt with an end before the start left out",
		}
		if trace.Format != phillyJSON || !slices.EqualFunc(trace.Jobs, jobs, same) ||
			!slices.Equal(trace.Notes, notes) {
			t.Errorf("%s: read %q %+v\n%q", name, trace.Format, trace.Jobs, trace.Notes)
		}
	}
}

// oneJob is a log of a job of 10 s and what comes behind it.
func oneJob(behind string) string {
	return `[{"submitted_time":"2017-10-09 07:00:00","attempts":[{"start_time":"2017-10-09 ` +
		`07:00:00","end_time":"2017-10-09 07:00:10","detail":[{"gpus":["gpu0"]}]}]}` + behind
}

func TestReadLogRefuses(t *testing.T) {
	whole := zipped(oneJob("]"))
	age := `{"start_time":"0001-01-02 00:00:00","end_time":"9999-01-01 00:00:00"},`
	for name, c := range map[string]struct {
		in    string
		job   int
		words string
	}{
		"no jobs": {"[]", 1, "there are no jobs"},
		"none to keep": {`[{"submitted_time":"2017-10-09 07:00:00"}, null]`, 2, "no jobs to keep: 1 job without a " +
			"submission time left out, 1 job that never ended left out"},
		"an object":        {`{"jobs": []}`, 1, "is a JSON object"},
		"numbers":          {"[1,2]", 1, "has a number out of place"},
		"attempts of text": {oneJob(`,{"attempts":["a"]}]`), 2, "attempts is a string, which is unexpected"},
		"a number for time": {oneJob(`,{"submitted_time":1507532400}]`), 2,
			"submitted_time is a number, which is unexpected"},
		"another time": {oneJob(`,{"submitted_time":"09/10/2017 \u001b[31m"}]`), 2,
			`"09/10/2017 \x1b[31m" is not a time; write 2017-10-09 10:02:36`},
		"no such day":      {oneJob(`,{"submitted_time":"2017-02-30 00:00:00"}]`), 2, "is not a time"},
		"no JSON":          {oneJob(`,{submitted_time:1}]`), 2, "is not valid JSON"},
		"a section":        {"[jobs]\na=1\n", 1, "is not valid JSON"},
		"cut off in a job": {oneJob(`,{"submitted_time":"2017-`), 2, "the file is cut off here"},
		"cut off at a job": {oneJob(``), 2, "the file is cut off here"},
		"cut off at once":  {"[", 1, "the file is cut off here"},
		"more behind":      {oneJob("]" + oneJob("]")), 2, "is followed by more"},
		"no JSON behind":   {oneJob("]x"), 2, "is not valid JSON"},
		"zip cut off":      {whole[:len(whole)-12], 0, "cut off or damaged"},
		"zip damaged":      {whole[:len(whole)-8] + "12345678", 2, "cut off or damaged"},
		"2 MiB job":        {oneJob(`,{"user":"` + strings.Repeat("u", 2<<20) + `"}]`), 2, "longer than 1 MiB"},
		"2 MiB of blanks":  {oneJob(strings.Repeat(" ", 2<<20) + "]"), 2, "longer than 1 MiB"},
		"too many GPUs": {`[{"submitted_time":"2017-10-09 07:00:00","attempts":[{"start_time":"2017-10-09 ` +
			`07:00:00","end_time":"2017-10-09 07:00:10","detail":[{"gpus":[0` + strings.Repeat(",0", maxGPUs) +
			`]}]}]}]`, 1,
			"holds 100,001 GPUs, above 100,000"},
		"too long together": {`[{"submitted_time":"2017-10-09 07:00:00","attempts":[` + strings.Repeat(age, 110) +
			`{}]}]`, 1,
			"seconds together, above 1e+12"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.in))
			refuses(t, err, c.job, c.words)
			if row := strings.HasPrefix(err.Error(), "row "); row != (name == "an object") {
				t.Errorf("%v: a log has jobs and no rows", err)
			}
		})
	}
}

func TestReadLogIsBounded(t *testing.T) {
	log := oneJob(strings.Repeat(",{}", 5) + "]")
	if _, err := read(strings.NewReader(log), 6); err != nil {
		t.Error(err)
	}
	_, err := read(strings.NewReader(log), 5)
	refuses(t, err, 6, "more than 5 jobs; split the file")
}

// A job of almost the limit makes the decoder read far ahead, of which the jobs
// behind it are not to blame.
func TestReadLogTakesLargeJobs(t *testing.T) {
	large := fmt.Sprintf(`,{"user":%q}`, strings.Repeat("u", textfile.MaxRowBytes-100))
	if _, err := Read(strings.NewReader(oneJob(strings.Repeat(large+strings.Repeat(",{}", 1000), 5) +
		"]"))); err != nil {
		t.Error(err)
	}
}
