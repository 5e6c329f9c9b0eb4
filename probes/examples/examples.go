// Package examples holds the models that a probe can run without a file:
// example:NAME.
package examples

import _ "embed"

// File is the name of the file that holds [FashionCNN].
const File = "fashion_cnn.py"

// FashionCNN is the source of fashion_cnn.py.
//
//go:embed fashion_cnn.py
var FashionCNN string

// Factories maps the name after "example:" to the factory in [FashionCNN].
var Factories = map[string]string{
	"fashion-cnn":      "fashion_cnn",
	"fashion-cnn-wide": "fashion_cnn_wide",
}
