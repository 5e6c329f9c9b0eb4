package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cell is a character with the pen it is drawn with: a candidate that becomes
// infeasible keeps its rune and loses its colour.
type cell struct {
	r   rune
	pen string
}

var sgr = regexp.MustCompile("^\x1b\\[([0-9;]*)m")

// cells reads what tmux captured with its escape sequences.
func cells(captured string) [][]cell {
	var rows [][]cell
	var p pen
	for _, line := range strings.Split(strings.TrimRight(captured, "\n"), "\n") {
		var row []cell
		for line != "" {
			if m := sgr.FindStringSubmatch(line); m != nil {
				p.apply(strings.Split(m[1], ";"))
				line = line[len(m[0]):]
				continue
			}
			r := []rune(line[:min(4, len(line))])[0]
			look := p
			if r == ' ' && len(p.attrs) == 0 {
				look.fg = "" // unseen; which pen a blank gets depends on what was there before
			}
			row = append(row, cell{r, look.String()})
			line = line[len(string(r)):]
		}
		rows = append(rows, row)
	}
	return rows
}

// pen is the state of the escape sequences that set colours and attributes.
type pen struct {
	fg, bg string
	attrs  []string
}

func (p pen) String() string { return p.fg + "/" + p.bg + "/" + strings.Join(p.attrs, ",") }

func (p *pen) apply(params []string) {
	for len(params) > 0 {
		n, used := params[0], 1
		if (n == "38" || n == "48") && len(params) > 1 {
			used = map[string]int{"5": 3, "2": 5}[params[1]]
		}
		color := strings.Join(params[:min(max(used, 1), len(params))], ";")
		switch {
		case n == "" || n == "0":
			*p = pen{}
		case n == "39":
			p.fg = ""
		case n == "49":
			p.bg = ""
		case strings.HasPrefix(n, "3") && len(n) == 2, strings.HasPrefix(n, "9") && len(n) == 2:
			p.fg = color
		case strings.HasPrefix(n, "4") && len(n) == 2, strings.HasPrefix(n, "10"):
			p.bg = color
		case strings.HasPrefix(n, "2") && len(n) == 2: // an attribute's end
			p.attrs = nil
		default:
			p.attrs = append(slices.Clone(p.attrs), n)
		}
		params = params[len(strings.Split(color, ";")):]
	}
}

// regions are the two parts of Explore that follow the constraints, with
// their colours.
type regions struct{ plots, ranking string }

// explore takes Explore at 120×40 apart.
func explore(t testing.TB, captured string) regions {
	t.Helper()
	const panel = 37 // cells of the constraints to the left of the plots
	var r regions
	in := 0
	for _, row := range cells(captured)[1:] {
		var text, penned strings.Builder
		for i, c := range row {
			text.WriteRune(c.r)
			if in > 0 || i >= panel {
				penned.WriteString(string(c.r) + c.pen + " ")
			}
		}
		switch {
		case strings.HasPrefix(text.String(), "╭ Ranking"):
			in = 1
		case strings.HasPrefix(text.String(), "╭ Why this one"):
			in = 2
		}
		switch in {
		case 0:
			r.plots += penned.String() + "\n"
		case 1:
			r.ranking += penned.String() + "\n"
		}
	}
	if in != 2 {
		t.Fatalf("not the Explore screen:\n%s", captured)
	}
	return r
}
