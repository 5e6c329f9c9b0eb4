// Package engine_test holds what concerns all of the engine.
package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var glossaryLink = regexp.MustCompile(`\[([a-z]+)\.([A-Za-z0-9.]+)\]\(([^)]+)\)`)

// Every term of the glossary has a link, which leads to a file or a folder that
// declares the symbol it names.
func TestGlossaryLinks(t *testing.T) {
	text, err := os.ReadFile("../GLOSSARY.md")
	if err != nil {
		t.Fatal(err)
	}
	terms, before := 0, ""
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			before = ""
		}
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		terms++
		term := strings.ToLower(strings.TrimPrefix(strings.SplitN(line, "**:", 2)[0], "- **"))
		if term <= before {
			t.Errorf("%s comes after %s", term, before)
		}
		before = term
		links := glossaryLink.FindAllStringSubmatch(line, -1)
		if len(links) != 1 {
			t.Errorf("%d links: %s", len(links), line)
		}
		for _, l := range links {
			if name, declared := declares(t, filepath.Join("..", l[3])); name != l[1] || !declared[l[2]] {
				t.Errorf("%s, of package %s, does not declare %s.%s", l[3], name, l[1], l[2])
			}
		}
	}
	if terms < 50 {
		t.Errorf("%d terms", terms)
	}
}

// declares lists what a file, or the files of a folder, declare: functions,
// types, constants, and methods as Type.Method.
func declares(t *testing.T, path string) (pkg string, names map[string]bool) {
	t.Helper()
	files := []string{path}
	if filepath.Ext(path) != ".go" {
		files, _ = filepath.Glob(filepath.Join(path, "*.go"))
	}
	names = map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		pkg = f.Name.Name
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	}
	return pkg, names
}

// receiver is the type of a method and a dot, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
