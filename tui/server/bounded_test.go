package server

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// passed is what is passed on of an input that comes in pieces.
func passed(t testing.TB, in []byte, r func(io.Reader) io.Reader) string {
	t.Helper()
	out, err := io.ReadAll(&bounded{r: r(bytes.NewReader(in))})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// What terminals send passes as it is, in whatever pieces it comes.
func TestPassesWhatTerminalsSend(t *testing.T) {
	for _, in := range []string{
		"q", "\x1b", "\x1b[A", "\x1b[1;5C", "\x1bOP", "\x1b[34~", "\x1b[27;2;200~", "\x1b[<35;120;40M", "ähé漢👍🏽",
		"\x1b[200~pasted\r\nlines\x1b[201~x", "\x1b]11;rgb:0000/0000/0000\x07", "\x1b]11;rgb:00/00/00\x1b\\",
		"\x1bP1+r\x1b\\",
		"\x1b[?2026;2$y", "\x1b\x1b[A", "\x1bx", "\x1b[I\x1b[O", "\x1b[97;5u",
	} {
		for name, r := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r },
			"by bytes": iotest.OneByteReader} {
			if got := passed(t, []byte(in), r); got != in {
				t.Errorf("%q becomes %q, %s", in, got, name)
			}
		}
	}
}

func TestDropsWhatIsTooMuch(t *testing.T) {
	long := strings.Repeat("x", mostPasted+9)
	for in, want := range map[string]string{
		"\x1b[200~" + long + "\x1b[201~q":               "\x1b[200~" + long[:mostPasted] + "\x1b[201~q",
		"\x1b[0200;1~" + long + "\x1b[201~q":            "\x1b[0200;1~" + long[:mostPasted] + "\x1b[201~q",
		"\x1b[" + strings.Repeat("1", 1000) + "A" + "q": "\x1b[" + strings.Repeat("1", mostSequence) + "zq",
		"\x1b]52;" + long + "\x07q":                     "\x1b]52;" + long[:mostString-3] + "\x07q",
		"\x9b200~a\xc2\x9bb\xff":                        "200~ab", // controls of one byte
		"\x1b[65;30;65;1;0;1_q":                         "\x1b[65;30;65;1;0;1zq",
		"\x1b]0;a\x1b[A":                                "\x1b]0;a\x1b\\\x1b[A",
	} {
		if got := passed(t, []byte(in), func(r io.Reader) io.Reader { return r }); got != want {
			t.Errorf("%.40q becomes %.60q of %d bytes, not %.60q of %d", in, got, len(got), want, len(want))
		}
	}
}

// However hostile, nothing that a reader holds until its end is longer than its bound, and
// nothing depends on the pieces it comes in.
func TestHoldsLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"\x1b", "[", "200~", "201~", "\x1b[200~", "\x1b[201~", "]", "P", "\x1b\\", "\x07",
			"\x9b", "\xc2", "\xff", "_", "0", ";", "~", "x", strings.Repeat("y", 300), strings.Repeat("z", 9000),
			strings.Repeat("1", 300)})
		in := []byte(strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), ""))
		whole, err := io.ReadAll(&bounded{r: bytes.NewReader(in)})
		if err != nil {
			t.Fatal(err)
		}
		split, err := io.ReadAll(&bounded{r: iotest.OneByteReader(bytes.NewReader(in))})
		if err != nil || !bytes.Equal(whole, split) {
			t.Fatalf("%q in pieces is %q", whole, split)
		}
		if bytes.Contains(whole, []byte{0x9b}) {
			t.Fatalf("a control of one byte in %q", whole)
		}
		for _, of := range []struct {
			begins, ends string
			most         int
		}{{"\x1b[200~", "\x1b[201~", mostPasted}, {"\x1b]", "\x1b\\", 2 * mostString}} {
			for rest := string(whole); ; {
				_, after, found := strings.Cut(rest, of.begins)
				if !found {
					break
				}
				held, _, _ := strings.Cut(after, of.ends)
				if of.begins == "\x1b]" {
					held, _, _ = strings.Cut(held, "\x07")
				}
				if len(held) > of.most+mostSequence {
					t.Fatalf("%d bytes are held after %q", len(held), of.begins)
				}
				rest = after
			}
		}
	})
}

func FuzzBounded(f *testing.F) {
	f.Add([]byte("\x1b[200~x\x1b[201~\x1b]0;t\x07\x1b[A\x9b\xc2\x9bq"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := passed(t, in, func(r io.Reader) io.Reader { return r })
		if len(out) > 2*len(in)+16 {
			t.Errorf("%d bytes become %d", len(in), len(out))
		}
	})
}
