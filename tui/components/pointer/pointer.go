// Package pointer is what the mouse does, in cells.
package pointer

// Kind is a kind of event.
type Kind uint8

// The kinds. Hover is a move without a button; it may be off the screen.
const (
	Click Kind = iota
	Drag
	Release
	Wheel
	Hover
)

// Event is what the mouse does at a cell of a screen.
type Event struct {
	Kind  Kind
	X, Y  int
	Steps int // of the wheel; up is negative
}
