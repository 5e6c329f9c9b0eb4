package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// nextModel goes to the next model whose runs say what a VM serves, and after the
// last one back to the study's VM.
func (s *Screen) nextModel() tea.Cmd {
	if len(s.models) < 2 {
		return nil
	}
	q := s.Question()
	q.Model = s.models[(slices.Index(s.models, q.Model)+1)%len(s.models)]
	q.MinAccuracy = 0
	if s.chart = memoryChart; q.Model != "" {
		s.chart = variantsChart
	}
	return s.Change("model", q)
}

// clear takes the floor of accuracy and the function's memory back to what is
// chosen for them.
func (s *Screen) clear() tea.Cmd {
	q := s.Question()
	q.MinAccuracy, q.MemoryGB = 0, 0
	return s.Change("clear", q)
}
