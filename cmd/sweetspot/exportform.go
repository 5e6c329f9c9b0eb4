package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/launch"
	"sweetspot/engine/plaintext"
)

// form is what is written: a pick as data, what launches it, or a form of the whole ranking. One of
// them is set.
type form struct {
	pick   contract.Format
	launch launch.Format
	whole  string
}

func (f form) String() string {
	return cmp.Or(string(f.pick), string(f.launch), f.whole)
}

// chooseForm is the format asked for, else that of the file's name, else the
// usual one.
func chooseForm(format, out string, asJSON bool, usual contract.Format) (form, error) {
	ext := strings.ToLower(filepath.Ext(out))
	switch {
	case format != "":
		return parseForm(format)
	case asJSON:
		return form{pick: contract.JSON}, nil
	case ext == "":
		return form{pick: usual}, nil
	case ext == ".html" || ext == ".htm":
		return form{whole: document.ReportHTML}, nil
	}
	f, ok, err := launch.FormatOfFile(out)
	if err != nil {
		return form{}, usageError("--out: %w", err)
	}
	if ok {
		return form{launch: f}, nil
	}
	pick, err := contract.ParseFormat(ext)
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
	if f := strings.ToLower(s); slices.Contains(document.OfAll, f) {
		return form{whole: f}, nil
	}
	f, err := contract.ParseFormat(s)
	if err != nil {
		all := slices.Clone(document.OfAll)
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
	case f.whole != "" && placed:
		return usageError("--place names a pick, and this form is of the whole ranking: leave it out")
	case f.whole == document.ReportMarkdown && out == "":
		return usageError("a Markdown report has its pictures beside it: name a file with --out report.md")
	}
	return nil
}
