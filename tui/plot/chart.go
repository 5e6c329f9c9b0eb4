package plot

import (
	"fmt"

	"sweetspot/tui/theme"
)

// chart is what all charts have: theme, size, and a cached frame.
type chart struct {
	th     *theme.Theme
	w, h   int
	empty  string
	stale  staleness
	paint  func() string // renders the frame where there is room
	cache  string
	canvas canvas
	frame  frame
}

// staleness says from where on the stages of a frame must be done again.
type staleness uint8

const (
	fresh       staleness = iota
	staleFrame            // selection, pins, crosshair, feasibility
	staleLine             // frontier
	stalePlaces           // size, symbols, part of the axes
	staleBounds           // data
)

// newChart is a chart that says a sentence while there is nothing to draw.
func newChart(th *theme.Theme, empty string, paint func() string) chart {
	return chart{th: th, canvas: canvas{table: penTable(th)}, stale: staleBounds, empty: empty, paint: paint}
}

func (c *chart) mark(level staleness) { c.stale = max(c.stale, level) }

// SetTheme changes pens and symbols.
func (c *chart) SetTheme(th *theme.Theme) {
	if c.th != th {
		c.th, c.canvas.table = th, penTable(th)
		c.mark(stalePlaces)
	}
}

// SetSize changes the size in cells.
func (c *chart) SetSize(w, h int) {
	if c.w != w || c.h != h {
		c.w, c.h = w, h
		c.mark(stalePlaces)
	}
}

// SetEmpty gives the sentence shown while there is nothing to draw.
func (c *chart) SetEmpty(sentence string) {
	if c.empty != sentence {
		c.empty = sentence
		c.mark(staleFrame)
	}
}

// Draw draws the chart in a size.
func (c *chart) Draw(w, h int) string {
	c.SetSize(w, h)
	return c.View()
}

// View returns exactly the lines and cells of the set size. What is stale stays
// so until there is room.
func (c *chart) View() string {
	switch {
	case c.w <= 0 || c.h <= 0:
		return ""
	case c.w < minWidth || c.h < minHeight:
		return message(c.th, fmt.Sprintf("plot needs %d×%d", minWidth, minHeight), c.w, c.h)
	case c.stale != fresh:
		c.cache, c.stale = c.paint(), fresh
	}
	return c.cache
}

// begin empties the canvas and draws the axes of a frame.
func (c *chart) begin() {
	c.canvas.reset(c.w, c.h)
	c.frame.draw(&c.canvas, &c.th.Symbols)
}
