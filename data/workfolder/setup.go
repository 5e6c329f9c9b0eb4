package workfolder

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sweetspot/data/shellwords"
)

// Setup is how the environment of a script is set up on a machine that has Python.
type Setup struct {
	// From says what it follows, such as requirements.txt; "" where nothing says what the
	// script needs.
	From string
	// Lines are those of a Bash script that runs in the copy of the folder. The variable
	// env is the folder of the environment, which they make.
	Lines []string
}

// venv makes an environment that finds the packages of the system: images with a GPU
// mostly have PyTorch, which fits their driver. Ubuntu's Python comes without venv.
var venv = []string{
	`python3 -m venv --system-site-packages "$env" || {`,
	`  sudo -n apt-get update -q && sudo -n apt-get install -q -y python3-venv python3-pip`,
	`  python3 -m venv --system-site-packages "$env"`,
	`}`,
}

// pip installs into the environment.
func pip(words string) []string {
	return append(slices.Clone(venv), `"$env/bin/python3" -m pip install -q `+words)
}

// ReadSetup finds out how the folder's environment is set up: from uv.lock,
// environment.yml, requirements.txt or pyproject.toml, the first that is there, else from
// packages as name==version, which a run had imported.
func ReadSetup(folder string, imported []string) Setup {
	for _, way := range []struct {
		files  []string
		lines  func(file string) []string
		within *regexp.Regexp // that the file has to hold; nil is anything
	}{
		{files: []string{"uv.lock"}, lines: func(string) []string {
			return append(pip("uv"), `"$env/bin/uv" export -q --frozen --no-emit-project --no-hashes -o "$env/uv.txt"`,
				`"$env/bin/python3" -m pip install -q -r "$env/uv.txt"`)
		}},
		{files: []string{"environment.yml", "environment.yaml"}, lines: func(file string) []string {
			return []string{`conda="$(command -v conda || ls -d ~/*conda3/bin/conda /opt/*conda*/bin/conda 2>/dev/null | ` +
				`head -n 1)"`,
				`[ -n "$conda" ] || { echo "` + file + ` needs conda, which the VM's image does not have: ` +
					`write a requirements.txt" >&2; exit 1; }`,
				`"$conda" env create -q -p "$env" -f ` + file}
		}},
		{files: []string{"requirements.txt"}, lines: func(file string) []string { return pip("-r " + file) }},
		{files: []string{"pyproject.toml"}, lines: func(string) []string { return pip("-e .") }, within: project},
	} {
		for _, file := range way.files {
			text, err := os.ReadFile(filepath.Join(folder, file))
			if err == nil && (way.within == nil || way.within.Match(text)) {
				return Setup{file, way.lines(file)}
			}
		}
	}
	if len(imported) == 0 {
		return Setup{Lines: []string{`python3 -m venv --system-site-packages --without-pip "$env"`}}
	}
	return Setup{"what the script imported here", exactly(imported)}
}

// exactly installs packages as name==version, and where these versions are not to be had,
// as of another Python, the newest that are.
func exactly(imported []string) []string {
	versions, names := make([]string, len(imported)), make([]string, len(imported))
	for i, p := range imported {
		name, _, _ := strings.Cut(p, "==")
		versions[i], names[i] = shellwords.Quoted(p), shellwords.Quoted(name)
	}
	lines := pip(strings.Join(versions, " ") + " || {")
	return append(lines, `  echo "sweetspot: not all of these versions are to be had here, so the newest are taken" >&2`,
		`  "$env/bin/python3" -m pip install -q `+strings.Join(names, " "), "}")
}

// project is in a pyproject.toml that can be installed; others only configure tools.
var project = regexp.MustCompile(`(?m)^\[(project|tool\.poetry)\]`)
