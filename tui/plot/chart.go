package plot

import (
	"fmt"

	"sweetspot/tui/theme"
)

// chart is what [Lines] and [Live] share: theme, size, and a cached frame.
type chart struct {
	th     *theme.Theme
	w, h   int
	empty  string
	stale  bool
	cache  string
	canvas canvas
	frame  frame
	series series
}

// SetTheme changes pens and symbols.
func (c *chart) SetTheme(th *theme.Theme) {
	if c.th != th {
		c.th, c.stale = th, true
		c.canvas.table = penTable(th)
	}
}

// SetSize changes the size in cells.
func (c *chart) SetSize(w, h int) {
	if c.w != w || c.h != h {
		c.w, c.h, c.stale = w, h, true
	}
}

// SetEmpty gives the sentence shown while there is nothing to draw.
func (c *chart) SetEmpty(sentence string) {
	if c.empty != sentence {
		c.empty, c.stale = sentence, true
	}
}

// view returns exactly the lines and cells of the set size; it renders only
// what has changed.
func (c *chart) view(render func() string) string {
	switch {
	case c.w <= 0 || c.h <= 0:
		return ""
	case !c.stale:
		return c.cache
	case c.w < minWidth || c.h < minHeight:
		c.cache = message(c.th, fmt.Sprintf("chart needs %d×%d", minWidth, minHeight), c.w, c.h)
	default:
		c.cache = render()
	}
	c.stale = false
	return c.cache
}

// begin empties canvas and lines, and draws the axes.
func (c *chart) begin(ax, ay Axis, sx, sy scale) {
	c.frame = layout(ax, ay, sx, sy, c.w, c.h)
	c.canvas.reset(c.w, c.h)
	c.frame.draw(&c.canvas, &c.th.Symbols)
	c.series.reset(c.frame.gw, c.frame.gh)
}
