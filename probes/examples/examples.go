// Package examples holds the models that a probe can run without a file:
// example:NAME.
package examples

import "embed"

// File is the name of the file with the models.
const File = "fashion_cnn.py"

// Files holds [File].
//
//go:embed fashion_cnn.py
var Files embed.FS

// Factories maps the name after "example:" to the factory in [File].
var Factories = map[string]string{
	"fashion-cnn":      "fashion_cnn",
	"fashion-lenet":    "fashion_lenet",
	"fashion-cnn-wide": "fashion_cnn_wide",
}
