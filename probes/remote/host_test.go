package remote

import (
	"bytes"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Host{
		"vm": {Destination: "vm"}, "me@vm": {Destination: "me@vm"}, "me@vm:2222": {Destination: "me@vm", Port: "2222"},
		"ssh://me@vm.example.com:22/": {Destination: "me@vm.example.com", Port: "22"},
		"[2001:db8::1]:22":            {Destination: "2001:db8::1", Port: "22"},
		"me@[2001:db8::1]:22":         {Destination: "me@2001:db8::1", Port: "22"},
		"2001:db8::1":                 {Destination: "2001:db8::1"},
		"fe80::1%eth0":                {Destination: "fe80::1%eth0"},
		"a@b@vm":                      {Destination: "a@b@vm"},
		"größe":                       {Destination: "größe"},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "-oProxyCommand=touch x", "me@-oProxyCommand=x", "-me@vm", "@vm", "me@", "vm:", "vm:0", "vm:65536", "vm:+22",
		"vm:22x", "a b", "vm;id", "$(id)", "`id`",
		"me@vm\n", "vm\x1b[31m", "[vm]:22", "[::1]22", "[::1", "a:b:c", "vm/..", "ssh://", "vm%h", "me'@vm", `me"@vm`,
		"a|b@vm", "[1.2.3.4]:22",
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q was taken: %+v", text, got)
		} else if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q is no single line", err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"me@vm:22", "ssh://me@[2001:db8::1]:22", "fe80::1%eth0", "-o", "a@b@c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Parse(text)
		if err != nil {
			return
		}
		if strings.HasPrefix(h.Destination, "-") ||
			strings.ContainsAny(h.Destination+h.Port, " \t\r\n\x00'\"\\$`;|&<>(){}*?!#=,/") {
			t.Errorf("%q became %+v", text, h)
		}
		if again, err := Parse(h.String()); err != nil || again != h {
			t.Errorf("%q is %+v; written %q it is %+v, %v", text, h, h.String(), again, err)
		}
	})
}

// Whatever bytes come, frames end in an error or hold what was said.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("eaaaaaaaaaaaa"))
	f.Add(frame{kind: kindNote, payload: []byte(`{"started":{"pid":1}}`)}.bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bytes.NewReader(data)
		for used := 0; ; {
			got, err := readFrame(in)
			if err != nil {
				return
			}
			used += headBytes + len(got.payload)
			if used > len(data) || !bytes.HasSuffix(data[:used], got.payload) {
				t.Fatalf("%d bytes used of %d", used, len(data))
			}
			if again, err := readFrame(bytes.NewReader(got.bytes())); err != nil || again.kind != got.kind ||
				again.at != got.at || !bytes.Equal(again.payload, got.payload) {
				t.Fatalf("%+v became %+v, %v", got, again, err)
			}
		}
	})
}
