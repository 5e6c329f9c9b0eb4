package launch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a block of HCL in the layout of terraform fmt: its arguments, then
// its blocks, each after an empty line.
type block struct {
	head   string // resource "aws_instance" "pick", or an argument: tags =
	args   []argument
	blocks []block
}

// argument has a value in HCL: a string is quoted already.
type argument struct{ name, value string }

func (b block) write(out *strings.Builder, indent string) {
	fmt.Fprintf(out, "%s%s {\n", indent, b.head)
	width := 0
	for _, a := range b.args {
		width = max(width, utf8.RuneCountInString(a.name))
	}
	for _, a := range b.args {
		fmt.Fprintf(out, "%s  %-*s = %s\n", indent, width, a.name, a.value)
	}
	for i, inner := range b.blocks {
		if i > 0 || len(b.args) > 0 {
			out.WriteByte('\n')
		}
		inner.write(out, indent+"  ")
	}
	out.WriteString(indent + "}\n")
}

// document writes blocks under a comment.
func document(remarks []string, blocks []block) string {
	var out strings.Builder
	out.WriteString(comment(remarks))
	for _, b := range blocks {
		out.WriteByte('\n')
		b.write(&out, "")
	}
	return out.String()
}

// str quotes a string for HCL. A $ or % before a brace, which would begin a
// template, is written by its number: doubling it means the same, but not after
// another one.
func str(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		next := s[i+utf8.RuneLen(r):]
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case (r == '$' || r == '%') && strings.HasPrefix(next, "{"), !unicode.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// ask is a variable without a default: Terraform does nothing until it is set.
func ask(name, what string, more ...block) block {
	return block{`variable "` + name + `"`, []argument{{"description", str(what)}, {"type", "string"}}, more}
}
