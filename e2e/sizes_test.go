package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// fits checks a whole frame: as many lines as the terminal, none wider, the
// ranking in it, and the footer on the last one.
func fits(t testing.TB, screen string, width, height int) {
	t.Helper()
	all := lines(t, screen, width)
	if len(all) != height || !strings.Contains(all[len(all)-1], "q quit") {
		t.Errorf("%d lines of %d, the footer is not on the last one:\n%s", len(all), height, screen)
	}
	if !strings.Contains(screen, "xlarge") || strings.Contains(screen, "panic") {
		t.Errorf("no ranking in\n%s", screen)
	}
}

func TestSizesAndLooks(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]struct {
		w, h  int
		env   []string
		args  []string
		check func(t *testing.T, s *terminal)
	}{
		"80x24":         {80, 24, nil, nil, nil},
		"50x15":         {50, 15, nil, nil, nil},
		"200x50":        {200, 50, nil, nil, nil},
		"NO_COLOR":      {120, 40, []string{"NO_COLOR=1"}, nil, colourless},
		"--theme mono":  {120, 40, nil, []string{"--theme", "mono"}, colourless},
		"colours":       {120, 40, nil, nil, coloured},
		"ascii symbols": {120, 40, nil, []string{"--symbols", "ascii"}, asciiOnly},
		"block symbols": {100, 30, nil, []string{"--symbols", "block"}, nil},
		"--no-mouse":    {100, 30, nil, []string{"--no-mouse"}, withoutMouse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startAt(t, newHome(t), look.env, look.w, look.h, look.args...)
			s.waitFor("g3.4xlarge", timeout)
			fits(t, s.settled(), look.w, look.h)
			if look.check != nil {
				look.check(t, s)
			}
			for _, key := range []string{"Tab", "s", "?", "Escape", "5", "1"} {
				s.keys(key)
				lines(t, s.settled(), look.w)
			}
			fits(t, s.settled(), look.w, look.h)
			s.keys("q")
			s.left(0)
		})
	}
}

var colour = regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)

func colourless(t *testing.T, s *terminal) {
	if got := s.captured(); colour.MatchString(got) {
		t.Errorf("there are colours:\n%q", got)
	}
}

func coloured(t *testing.T, s *terminal) {
	if got := s.captured(); !colour.MatchString(got) {
		t.Errorf("there are no colours:\n%q", got)
	}
}

func asciiOnly(t *testing.T, s *terminal) {
	for i, line := range lines(t, s.screen(), 120) {
		for _, r := range line {
			if r > 126 {
				t.Errorf("line %d has %q: %s", i, r, line)
				break
			}
		}
	}
}

func withoutMouse(t *testing.T, s *terminal) {
	if got := s.state("mouse_any_flag"); got != "0" {
		t.Error("the mouse is taken")
	}
}

// The window changes its size while the program runs, also to one that is too
// small.
func TestResize(t *testing.T) {
	t.Parallel()
	s := start(t, 120, 40)
	s.waitFor("168 of 168", timeout)
	for _, size := range []struct{ w, h int }{{80, 24}, {50, 15}, {200, 50}, {40, 10}, {20, 5}, {120, 40}} {
		s.tmux("resize-window", "-x", fmt.Sprint(size.w), "-y", fmt.Sprint(size.h))
		if size.w < 40 {
			s.waitFor("needs", timeout)
			lines(t, s.settled(), size.w)
			continue
		}
		s.waitUntil(fmt.Sprintf("filling %d×%d", size.w, size.h), timeout, func(screen string) bool {
			all := strings.Split(strings.TrimRight(screen, "\n"), "\n")
			return len(all) == size.h && strings.Contains(all[len(all)-1], "quit")
		})
		fits(t, s.settled(), size.w, size.h)
	}
	s.keys("q")
	s.left(0)
}

// Asked again after a session, the program remembers the question, unless told
// not to: then it asks what it asks a new user.
func TestRemembers(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	ask := func(want, floor, limit string, args ...string) {
		t.Helper()
		s := startAt(t, user, nil, 120, 40, args...)
		s.waitFor(want, timeout)
		s.keys("Enter")
		s.write(limit)
		s.keys("Enter")
		s.waitFor(floor+" ≥ "+limit, timeout)
		s.keys("q")
		s.left(0)
	}
	ask("top-5 any", "top-5", "70")
	ask("top-1 ≥ 80.0 %", "top-1", "82", "--no-state")
	ask("top-5 ≥ 70", "top-5", "75")
}
