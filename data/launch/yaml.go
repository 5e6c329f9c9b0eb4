package launch

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The YAML is made of nodes: every string stands in double quotes, for readers
// do not agree on which plain words are strings.

// pair is a key with its value.
type pair struct {
	key   string
	value *yaml.Node
}

func mapping(pairs ...pair) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range pairs {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: p.key}, p.value)
	}
	return n
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Content: items}
}

func textNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
}

// scriptNode is a literal block of lines.
func scriptNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.LiteralStyle}
}

func number(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

func truth(b bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}
}

func remarked(n *yaml.Node, remark string) *yaml.Node {
	n.LineComment = "# " + remark
	return n
}

// documents writes YAML under a comment.
func documents(remarks []string, nodes ...*yaml.Node) (string, error) {
	var b strings.Builder
	b.WriteString(comment(remarks))
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	for _, n := range nodes {
		if err := enc.Encode(n); err != nil {
			return "", err
		}
	}
	return b.String(), enc.Close()
}
