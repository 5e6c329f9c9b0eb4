package main

import (
	"cmp"
	"path/filepath"
	"strings"

	"sweetspot/data/document"
)

// choice is what the flags say of the form to write.
type choice struct {
	format, out string
	json        bool
}

func (c choice) String() string {
	if c.format == "" {
		return strings.TrimPrefix(filepath.Ext(c.out), ".")
	}
	return c.format
}

// form is the format asked for, else that of the file's name, else the usual one.
func (c choice) form(usual string, groups ...string) (document.Form, error) {
	name := cmp.Or(c.format, usual)
	switch {
	case c.json && c.format == "":
		name = "json"
	case c.format == "" && filepath.Ext(c.out) != "":
		f, err := document.ByFile(c.out, groups...)
		if err != nil {
			return f, usageError("--out: %w", err)
		}
		return f, nil
	}
	f, err := document.Named(name, groups...)
	if err != nil {
		return f, usageError("--format: %w", err)
	}
	return f, nil
}

// check refuses flags that the form has no use for.
func check(f document.Form, placed bool, out string) error {
	switch {
	case (f.Group == document.Report || f.Group == document.Ranking) && placed:
		return usageError("--place names a pick, and this form is of the whole ranking: leave it out")
	case f.Beside && out == "":
		return usageError("a %s %s has its pictures beside it: name a file with --out report%s", f.Title, f.Group,
			f.Extension)
	}
	return nil
}
