package launch

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"sweetspot/data/shellwords"
)

// AWS writes a script of AWS CLI calls.
var AWS = &Format{
	Name: "aws", Title: "AWS CLI", Extension: ".sh", clouds: []string{"aws"},
	write: func(j *job) (string, error) { return j.aws(), nil },
}

func (j *job) aws() string {
	var asked []need
	var calls []string
	for i, p := range j.parts {
		region, unknown := p.inRegion("REGION", "the region to launch in")
		image, subnet, key := "IMAGE_ID"+p.suffix, "SUBNET_ID"+p.suffix, "KEY_NAME"+p.suffix
		asked = append(append(asked, unknown...), need{image, "an AMI" + p.ofItsRegion() + p.drivers()},
			need{subnet, "a subnet" + p.ofItsRegion()}, need{key, "a key pair" + p.ofItsRegion() + " to log in with"})
		args := []string{"--region=" + region, "--instance-type=" + shellwords.Quoted(p.instanceType),
			fmt.Sprintf("--count=%d", p.count),
			"--image-id=" + variable(image), "--subnet-id=" + variable(subnet), "--key-name=" + variable(key)}
		if j.isSpot() {
			args = append(args, "--instance-market-options=MarketType=spot")
		}
		calls = append(calls,
			call("aws ec2 run-instances", append(args, "--tag-specifications="+shellwords.Quoted(j.awsTags(i)))...))
	}
	return j.script() + checks(asked) + "\n" + strings.Join(calls, "\n")
}

// awsTags are in JSON: in the shorthand form, commas and braces in a name would
// be syntax, and a value that begins with file:// a file to read.
func (j *job) awsTags(i int) string {
	type tag struct{ Key, Value string }
	type spec struct {
		ResourceType string
		Tags         []tag
	}
	s := spec{ResourceType: "instance"}
	for _, t := range j.tags(i) {
		s.Tags = append(s.Tags, tag{t.name, t.value})
	}
	text, _ := json.Marshal([]spec{s}) // strings always can be
	return ascii(string(text))
}

// ascii escapes characters that JSON may contain but that shells and their linters
// stumble over.
func ascii(json string) string {
	var b strings.Builder
	for _, r := range json {
		switch {
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case r > '~', strings.ContainsRune("'$`", r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
