package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestPlotsZoomPanAndReadByKey(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	frame := d.screen
	d.send(press("tab"))
	whole := frame()
	d.send(press("z"))
	d.send(press("z"))
	if got := frame(); !strings.Contains(got, "zoom 4×") || !strings.Contains(got, "z Z zoom") {
		t.Fatalf("no zoom in\n%s", got)
	}
	zoomed := frame()
	d.send(tea.KeyPressMsg{Code: tea.KeyRight, Mod: tea.ModShift})
	if frame() == zoomed {
		t.Error("shift+right shows the same")
	}
	d.send(press("Z"))
	if got := frame(); !strings.Contains(got, "zoom 2×") {
		t.Errorf("Z leads to\n%s", got)
	}
	d.send(press("i"))
	if got := frame(); !strings.Contains(got, "┊") || !strings.Contains(got, "↑ ↓ crosshair") {
		t.Errorf("no crosshair in\n%s", got)
	}
	reading := frame()
	d.send(press("right"))
	if frame() == reading {
		t.Error("the arrow keys leave the crosshair where it is")
	}
	d.send(press("esc"))
	if got := frame(); strings.Contains(got, "┊") || !strings.Contains(got, "zoom 2×") {
		t.Errorf("esc leaves more than the crosshair:\n%s", got)
	}
	d.send(press("="))
	if got := frame(); got != whole {
		t.Errorf("= doesn't lead back:\n%s", got)
	}
}

func TestMouseReadsAndZoomsPlots(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	frame := d.screen
	if mode := d.app.View().MouseMode; mode != tea.MouseModeAllMotion {
		t.Errorf("mouse mode %v can't tell where the mouse points", mode)
	}
	d.send(tea.MouseMotionMsg{X: 60, Y: 6, Button: tea.MouseNone})
	if got := frame(); !strings.Contains(got, "┊") {
		t.Errorf("no crosshair under the mouse:\n%s", got)
	}
	d.press("m", "enter")
	if strings.Contains(frame(), "┊") {
		t.Error("a mouse that rests covers what keys show")
	}
	d.send(press("u"))
	d.send(tea.MouseMotionMsg{X: 60, Y: 6, Button: tea.MouseNone})
	d.send(tea.MouseMotionMsg{X: 60, Y: 30, Button: tea.MouseNone})
	if strings.Contains(frame(), "┊") {
		t.Error("the crosshair stays where the mouse left")
	}
	for range 2 {
		d.send(tea.MouseWheelMsg{X: 100, Y: 6, Button: tea.MouseWheelUp})
	}
	zoomed := frame()
	if !strings.Contains(zoomed, "zoom 2×") {
		t.Fatalf("the wheel doesn't zoom:\n%s", zoomed)
	}
	d.send(tea.MouseClickMsg{X: 100, Y: 6, Button: tea.MouseLeft})
	d.send(tea.MouseMotionMsg{X: 96, Y: 8, Button: tea.MouseLeft})
	dragged := frame()
	d.send(tea.MouseReleaseMsg{X: 96, Y: 8, Button: tea.MouseLeft})
	if dragged == zoomed || frame() != dragged {
		t.Error("dragging doesn't pan, or letting go does more")
	}
}
