package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/objective"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/components/table"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// stateCell is the mark and, where there is room, the word of a badge in its
// colour.
func stateCell(th *theme.Theme, b badge, width int) string {
	if width == 1 {
		return b.pen.Render(b.symbol(th))
	}
	return b.pen.Render(b.symbol(th) + " " + b.word)
}

// leastBesideLabel is the room in cells of the mark and the steady mean, which
// are beside a label on every terminal.
const leastBesideLabel = 22

// leastStates is the width from which states have words and hosts a column.
const leastStates = 70

// onHosts reports whether there are other hosts than this machine.
func onHosts(rows []matrix.Row) bool {
	return slices.ContainsFunc(rows, func(r matrix.Row) bool { return r.Host != "" })
}

// columns are those of the table of probes in w cells. Hosts are shown where
// there are others than this machine; on a narrow terminal a state is its mark
// alone.
func columns(rows []matrix.Row, w int, queued bool) []table.Column {
	if queued {
		return queuedColumns(rows, w)
	}
	out := []table.Column{stateColumn(w, 15), labelColumn(rows, w, 16, queued)}
	if w >= leastStates && onHosts(rows) {
		out = append(out, table.Column{ID: "host", Title: "host", Width: 12, Flex: 1, Drop: 2})
	}
	return append(out,
		table.Column{ID: "steps", Title: "steps", Width: 6, Right: true, Drop: 4},
		table.Column{ID: "steady", Title: "mean", Width: 15, Right: true},
		table.Column{ID: "accuracy", Title: "accuracy", Width: 8, Right: true, Drop: 1},
		table.Column{ID: "spent", Title: "spent", Width: 14, Right: true, Drop: 3},
		table.Column{ID: "why", Title: "progress", Width: 24, Flex: 2, Drop: 5},
	)
}

// queuedColumns are those of probes in a queue: why one waits is more than numbers that are
// not there yet.
func queuedColumns(rows []matrix.Row, w int) []table.Column {
	state, gpu, measured := 11, 5, false
	for _, r := range rows {
		if r.State == matrix.OutOfMemory {
			state = 15
		}
		gpu = max(gpu, min(text.Width(gpuName(r.Host)), 14))
		measured = measured || r.Update.Run.Accuracy != nil
	}
	label := labelColumn(rows, w, 9, true)
	label.Flex = 0
	out := []table.Column{stateColumn(w, state), label}
	mean := table.Column{ID: "steady", Title: "mean", Width: 15, Right: true}
	why := table.Column{ID: "why", Title: "progress", Width: 24, Flex: 1}
	if w < leastStates {
		why.Drop = 5
		return append(out, mean, why)
	}
	out = append(out, table.Column{ID: "host", Title: "GPU", Width: gpu}, mean)
	if measured {
		out = append(out, table.Column{ID: "accuracy", Title: "accuracy", Width: 8, Right: true, Drop: 1})
	}
	return append(out, table.Column{ID: "spent", Title: "spent", Width: 14, Right: true, Drop: 3}, why)
}

func stateColumn(w, width int) table.Column {
	if w < leastStates {
		return table.Column{ID: "state", Width: 1}
	}
	return table.Column{ID: "state", Title: "state", Width: width}
}

func labelColumn(rows []matrix.Row, w, width int, queued bool) table.Column {
	room := w
	if w < leastStates {
		room = w - leastBesideLabel
	}
	for _, l := range labels(rows, w, queued) {
		width = max(width, min(text.Width(l), room, 34))
	}
	return table.Column{ID: "label", Title: "probe", Width: width, Flex: 3}
}

// cellRows are the rows of the table of probes; their number is their ID.
type cellRows struct {
	rows   []matrix.Row
	labels []string
	th     *theme.Theme
	target float64 // as relative half-width, of means that are good enough
	queued bool    // by an engine
}

func (s *Screen) cellRows() cellRows {
	return cellRows{s.all.Rows, labels(s.all.Rows, s.w, s.inQueue()), s.th, s.form.Target, s.inQueue()}
}

func (c cellRows) Len() int                               { return len(c.rows) }
func (c cellRows) Find(_ table.Rows, row int) (int, bool) { return row, row < len(c.rows) }

func (c cellRows) Style(row int) table.RowStyle {
	return table.RowStyle{Faint: c.rows[row].State == matrix.Skipped}
}

func (c cellRows) Cell(row int, column string, width int) string {
	r := &c.rows[row]
	u := &r.Update
	switch column {
	case "state":
		b := badgeOf(c.th, r, c.target)
		if c.queued && queuedWords(c.rows, row) != "" {
			b.word = "queued"
			if r.State == matrix.Running {
				b.mark, b.pen = "◌", c.th.Text
			}
		}
		return stateCell(c.th, b, width)
	case "label":
		return text.Truncate(c.labels[row], width, c.th.Symbols.Ellipsis)
	case "host":
		return text.Truncate(c.host(r.Host), width, c.th.Symbols.Ellipsis)
	case "steps":
		if u.Summary.Total == 0 {
			return ""
		}
		return quantity.Count(float64(u.Summary.Total))
	case "steady":
		return c.mean(&u.Summary, width)
	case "accuracy":
		if a := u.Run.Accuracy; a != nil {
			return objective.WriteAccuracy(a.Value, a.HigherIsBetter)
		}
	case "spent":
		if u.Seq > 0 && u.Waiting == "" {
			return spentCell(u)
		}
	case "why":
		if c.queued {
			if words := queuedWords(c.rows, row); words != "" {
				return c.th.Dim.Render(text.Truncate(startFirst(words), width, c.th.Symbols.Ellipsis))
			}
		}
		return c.end(r, width)
	}
	return ""
}

// host is where a probe runs, or on what GPUs of a queue.
func (c cellRows) host(host string) string {
	if c.queued {
		return gpuName(host)
	}
	return text.Clean(hostName(host))
}

// gpuName writes a100:2 as "2× a100".
func gpuName(g string) string {
	kind, count := gpuOf(text.Clean(g))
	if count > 1 {
		return strconv.Itoa(count) + "× " + kind
	}
	return kind
}

func spentCell(u *session.Update) string {
	if u.SpentUSD == nil {
		return clock(u.SpentS)
	}
	return clock(u.SpentS) + " " + quantity.Money(*u.SpentUSD)
}

// mean is the steady mean with its interval, or a rough one, marked as such.
func (c cellRows) mean(m *steady.Summary, width int) string {
	if !m.Steady.Known() {
		return ""
	}
	value, interval := withInterval(m.Steady, quantity.Duration)
	if !m.IsSteady {
		b := qualityBadge(c.th, rough)
		value = b.pen.Render(b.symbol(c.th) + value)
	}
	if text.Width(value)+text.Width(interval) < width {
		value += " "
	}
	return value + c.th.Interval.Render(interval)
}

// end says why a probe is over or what it waits for; of one that runs it is
// how near the end is.
func (c cellRows) end(r *matrix.Row, width int) string {
	words := text.Clean(r.Why)
	switch r.State {
	case matrix.Running:
		p := min(max(r.Update.Verdict.Progress, 0), 1)
		return plot.Bar(c.th, p, max(min(width-6, 20), 1)) + fmt.Sprintf("%4.0f %%", p*100)
	case matrix.Done:
		words = whyEnded(&r.Update, c.target)
		if _, last, ok := strings.Cut(words, "; "); ok {
			words = last // the half-width before it stands in the row, and the panel has the whole of it
		}
	}
	return c.th.Dim.Render(text.Truncate(words, width, c.th.Symbols.Ellipsis))
}

// labels name the probes by what varies among them. The host is a part of them
// in w cells that have no column for it.
func labels(rows []matrix.Row, w int, queued bool) []string {
	if len(rows) == 0 {
		return nil
	}
	first := rows[0].Cell
	varies := struct{ host, batch, precision, prune bool }{host: w < leastStates && onHosts(rows)}
	for _, r := range rows {
		varies.batch = varies.batch || r.Batch != first.Batch
		varies.precision = varies.precision || r.Precision != first.Precision
		varies.prune = varies.prune || r.Prune != first.Prune
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		c := r.Cell
		if c.Host = ""; varies.host && queued {
			c.Host = gpuName(r.Host)
		} else if varies.host {
			c.Host = hostName(r.Host)
		}
		if varies.host || varies.batch || varies.precision || varies.prune {
			if !varies.batch {
				c.Batch = 0
			}
			if !varies.precision {
				c.Precision = ""
			}
			if !varies.prune {
				c.Prune = ""
			}
		}
		if out[i] = text.Clean(c.Label()); !varies.host && !varies.batch && !varies.precision && varies.prune &&
			c.Prune == "" {
			out[i] = "whole model" + repeated(c)
		}
	}
	return out
}

func repeated(c matrix.Cell) string {
	if c.Repeat == 0 {
		return ""
	}
	return " · repeat " + strconv.Itoa(c.Repeat+1)
}
