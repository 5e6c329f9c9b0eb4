package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweetspot/data/export"
	"sweetspot/data/launch"
	"sweetspot/data/report"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// form is what is written: a pick as data, what launches it, or a report. One of
// them is set.
type form struct {
	pick   export.Format
	launch launch.Format
	report reportFormat
}

func (f form) String() string {
	return cmp.Or(string(f.pick), string(f.launch), string(f.report))
}

// reportFormat is how a report is written.
type reportFormat string

const (
	reportHTML     reportFormat = "html"
	reportMarkdown reportFormat = "report-md"
)

// chooseForm is the format asked for, else that of the file's name, else the
// usual one.
func chooseForm(format, out string, asJSON bool, usual export.Format) (form, error) {
	ext := strings.ToLower(filepath.Ext(out))
	switch {
	case format != "":
		return parseForm(format)
	case asJSON:
		return form{pick: export.JSON}, nil
	case ext == "":
		return form{pick: usual}, nil
	case ext == ".html" || ext == ".htm":
		return form{report: reportHTML}, nil
	}
	f, ok, err := launch.FormatOfFile(out)
	if err != nil {
		return form{}, usageError("--out: %w", err)
	}
	if ok {
		return form{launch: f}, nil
	}
	pick, err := export.ParseFormat(ext)
	if err != nil {
		return form{}, usageError("--out: no format has files of that name, %s; name one with --format", plaintext.Quote(ext))
	}
	return form{pick: pick}, nil
}

// parseForm reads a --format flag.
func parseForm(s string) (form, error) {
	if f, err := launch.ParseFormat(s); err == nil {
		return form{launch: f}, nil
	}
	if f := reportFormat(strings.ToLower(s)); f == reportHTML || f == reportMarkdown {
		return form{report: f}, nil
	}
	f, err := export.ParseFormat(s)
	if err != nil {
		all := []string{string(reportHTML), string(reportMarkdown)}
		for _, l := range launch.Formats {
			all = append(all, string(l))
		}
		return form{}, usageError("--format: %w, %s", err, strings.Join(all, ", "))
	}
	return form{pick: f}, nil
}

// check refuses flags that the form has no use for.
func (f form) check(placed bool, out string) error {
	switch {
	case f.report != "" && placed:
		return usageError("--place names a pick, and a report is of the whole ranking: leave it out")
	case f.report == reportMarkdown && out == "":
		return usageError("a Markdown report has its pictures beside it: name a file with --out report.md")
	}
	return nil
}

// exportLaunch writes what launches the pick. Nothing is written where the
// format does not fit it.
func exportLaunch(cmd *cobra.Command, pick export.Pick, f launch.Format, out string, force bool) error {
	var text bytes.Buffer
	if err := launch.Write(&text, pick, f); err != nil {
		return usageError("--format %s: %w", f, err)
	}
	return writeTo(cmd, out, force, func(w io.Writer) error { return copyTo(w, &text) })
}

// exportReport writes a report of the ranking.
func exportReport(cmd *cobra.Command, f reportFormat, result *rank.Result, tested validate.Tested, out string, force bool) error {
	r, err := report.New(result, tested, time.Now(), version())
	if err != nil {
		return err
	}
	if f == reportMarkdown {
		return exportMarkdown(cmd, r, out, force)
	}
	var text bytes.Buffer
	if err := r.HTML(&text); err != nil {
		return err
	}
	return writeTo(cmd, out, force, func(w io.Writer) error { return copyTo(w, &text) })
}

// exportMarkdown writes the report and its pictures: all of them, or none where
// one is there already.
func exportMarkdown(cmd *cobra.Command, r *report.Report, out string, force bool) error {
	for _, p := range r.Pictures {
		file := filepath.Join(filepath.Dir(out), p.File(out))
		if _, err := os.Lstat(file); err == nil && !force {
			return fmt.Errorf("%s exists already: give another --out, or --force to overwrite it", file)
		}
	}
	if err := writeFile(out, force, func(w io.Writer) error { return r.Markdown(w, out) }); err != nil {
		return err
	}
	for _, p := range r.Pictures {
		if err := writeFile(filepath.Join(filepath.Dir(out), p.File(out)), force, p.PNG); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s and %s beside it\n", plaintext.Clean(out), quantity.Several(len(r.Pictures), "picture"))
	return err
}

func copyTo(w io.Writer, text *bytes.Buffer) error {
	_, err := text.WriteTo(w)
	return err
}
