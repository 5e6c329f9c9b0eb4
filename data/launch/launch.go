// Package launch writes the configuration that runs a pick, for the tools that
// launch VMs and jobs. What only the user knows (an image, a subnet, the command
// that trains) is a variable that the tool asks for, never a made-up value; no
// secret is written, and text from outside is quoted wherever it stands.
package launch

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/engine/plaintext"
)

// Format is a tool that launches, by the name of its --format.
type Format string

// The formats.
const (
	SkyPilot   Format = "skypilot"
	AWS        Format = "aws"
	GCloud     Format = "gcloud"
	Az         Format = "az"
	Terraform  Format = "terraform"
	Slurm      Format = "slurm"
	Kubernetes Format = "kubernetes"
)

// Formats lists all formats.
var Formats = []Format{SkyPilot, AWS, GCloud, Az, Terraform, Slurm, Kubernetes}

// ParseFormat reads a --format flag.
func ParseFormat(s string) (Format, error) {
	if f := Format(strings.ToLower(s)); slices.Contains(Formats, f) {
		return f, nil
	}
	return "", fmt.Errorf("format %s is none of %s", plaintext.Quote(s), names(Formats, ", ", ", "))
}

// FormatOfFile is the format that a file's extension leaves no doubt about. A
// shell script may be of three clouds, which the error says.
func FormatOfFile(path string) (f Format, ok bool, err error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".tf":
		return Terraform, true, nil
	case ".sbatch":
		return Slurm, true, nil
	case ".sh":
		return "", false, errors.New("a .sh file launches on aws, gcloud or az: say which with --format")
	}
	return "", false, nil
}

// Extension is the format's usual file extension, with its dot.
func (f Format) Extension() string {
	switch f {
	case SkyPilot, Kubernetes:
		return ".yaml"
	case Terraform:
		return ".tf"
	case Slurm:
		return ".sbatch"
	}
	return ".sh"
}

// Fits says why a format does not launch the pick, and which formats do; nil
// where it does.
func Fits(p contract.Pick, f Format) error {
	j, err := newJob(p)
	if err != nil {
		return err
	}
	return j.fit(f)
}

// Write writes what launches the pick. Where the format does not launch such
// VMs, the error is that of [Fits].
func Write(w io.Writer, p contract.Pick, f Format) error {
	j, err := newJob(p)
	if err != nil {
		return err
	}
	if err := j.fit(f); err != nil {
		return err
	}
	text, err := j.text(f)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

func (j *job) text(f Format) (string, error) {
	switch f {
	case SkyPilot:
		return j.skyPilot()
	case AWS:
		return j.aws(), nil
	case GCloud:
		return j.gcloud(), nil
	case Az:
		return j.az(), nil
	case Terraform:
		return j.terraform(), nil
	case Slurm:
		return j.slurm(), nil
	case Kubernetes:
		return j.kubernetes()
	}
	return "", fmt.Errorf("format %s is not known", plaintext.Quote(string(f)))
}

// names joins formats as a sentence does: a, b or c.
func names(list []Format, sep, last string) string {
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = string(f)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], sep) + last + words[len(words)-1]
}
