package launch

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"sweetspot/data/contract"
)

//go:embed *.tmpl
var templateFiles embed.FS

// templates are the launch files that are documents of YAML or HCL. Text from
// outside gets into them through hcl and pair alone, which quote it.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"hcl": quotedHCL,
	"pair": func(key string, value any) (string, error) {
		return yamlPair(key, fmt.Sprint(value), yaml.DoubleQuotedStyle)
	},
}).ParseFS(templateFiles, "*.tmpl"))

// filled is a template filled in, under a comment.
func filled(name string, remarks []string, data any) (string, error) {
	var b strings.Builder
	b.WriteString(comment(remarks))
	err := templates.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

func quotedHCL(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }

// yamlPair is a key with a string. In double quotes it is a string for all
// readers, who do not agree on which plain words are.
func yamlPair(key, value string, style yaml.Style) (string, error) {
	var b strings.Builder
	err := contract.WriteYAML(&b, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, {Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Style: style},
	}})
	return strings.TrimSuffix(b.String(), "\n"), err
}
