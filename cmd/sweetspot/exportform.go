package main

import (
	"cmp"
	"path/filepath"
	"strings"

	"sweetspot/data/document"
)

// exportFlags are the flags that choose the form to write.
type exportFlags struct {
	format, out string
	json        bool
}

func (e exportFlags) String() string {
	if e.format == "" {
		return strings.TrimPrefix(filepath.Ext(e.out), ".")
	}
	return e.format
}

// form returns the form that --format names, else that of the extension of --out,
// else fallback.
func (e exportFlags) form(fallback string, groups ...string) (document.Form, error) {
	name := cmp.Or(e.format, fallback)
	switch {
	case e.json && e.format == "":
		name = "json"
	case e.format == "" && filepath.Ext(e.out) != "":
		f, err := document.ByFile(e.out, groups...)
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

// checkForm rejects flags that do not apply to the form.
func checkForm(f document.Form, hasPlace bool, out string) error {
	switch {
	case (f.Group == document.Report || f.Group == document.Ranking) && hasPlace:
		return usageError("--place selects one candidate, but this format writes the whole ranking: leave --place out")
	case f.Beside && out == "":
		return usageError("the pictures of a %s %s are written beside it: name a file with --out report%s", f.Title, f.Group,
			f.Extension)
	}
	return nil
}
