package keys

import (
	"slices"
	"strconv"
)

// The actions that keys lead to. Their names are those of the config file.
const (
	Explore   Action = "explore"
	Probe     Action = "probe-screen"
	Fleet     Action = "fleet"
	Traffic   Action = "traffic"
	Library   Action = "library"
	FocusNext Action = "focus-next"
	FocusPrev Action = "focus-previous"
	Left      Action = "left"
	Right     Action = "right"
	Up        Action = "up"
	Down      Action = "down"
	BigLeft   Action = "big-left"
	BigRight  Action = "big-right"
	PageUp    Action = "page-up"
	PageDown  Action = "page-down"
	Top       Action = "top"
	Bottom    Action = "bottom"
	Enter     Action = "enter"
	Back      Action = "back"
	Filter    Action = "filter"
	Sort      Action = "sort"
	Reverse   Action = "reverse"
	Pin       Action = "pin"
	Pick      Action = "pick"
	Export    Action = "export"
	Open      Action = "open"
	ProbeThis Action = "probe"
	Undo      Action = "undo"
	Redo      Action = "redo"
	Model     Action = "model"
	Workload  Action = "workload"
	Batch     Action = "batch"
	Purchase  Action = "purchase"
	Bill      Action = "bill"
	Clouds    Action = "clouds"
	GPUs      Action = "gpus"
	Variants  Action = "variants"
	Feasible  Action = "feasible"
	Predicted Action = "predicted"
	Combined  Action = "combined"
	NextProbe Action = "next-probe"
	Scheduler Action = "scheduler"
	Overlap   Action = "overlap"
	Redraw    Action = "redraw"
	NextChart Action = "next-chart"
	Axes      Action = "axes"
	Plots     Action = "plots"
	ZoomIn    Action = "zoom-in"
	ZoomOut   Action = "zoom-out"
	ZoomWhole Action = "zoom-whole"
	Crosshair Action = "crosshair"
	PanLeft   Action = "pan-left"
	PanRight  Action = "pan-right"
	PanUp     Action = "pan-up"
	PanDown   Action = "pan-down"
	Copy      Action = "copy"
	Theme     Action = "theme"
	Mouse     Action = "mouse"
	Refresh   Action = "refresh"
	Clear     Action = "clear"
	Stop      Action = "stop"
	Keep      Action = "keep-running"
	Follow    Action = "follow"
	Delete    Action = "delete"
	Rename    Action = "rename"
	Annotate  Action = "annotate"
	Import    Action = "import"
	Merge     Action = "merge"
	Backup    Action = "backup"
	Help      Action = "help"
	Quit      Action = "quit"
	Interrupt Action = "interrupt"
)

// Tab is a screen as the keys see it.
type Tab struct {
	Action Action
	Region string // all of its regions begin with it
	Name   string
	Long   string // what one does there
}

// Tabs are the screens, in the order of the header; each has the next digit.
var Tabs = []Tab{
	{Explore, InExplore, "Explore", "scrub constraints, see frontiers and the ranking"},
	{Probe, InProbe, "Probe", "measure a model on the GPU at hand"},
	{Fleet, InFleet, "Fleet", "place a trace of jobs on reserved and on-demand VMs"},
	{Traffic, InTraffic, "Traffic", "serve a trace of requests with VMs and functions"},
	{Library, InLibrary, "Library", "databases, models, runs, VM types and picks"},
}

// IsTab reports whether an action shows a screen.
func (a Action) IsTab() bool {
	return slices.ContainsFunc(Tabs, func(t Tab) bool { return t.Action == a })
}

// tabBindings are the digits of the screens, and their regions.
func tabBindings() (digits []Binding, regions []string) {
	for i, t := range Tabs {
		digits = append(digits, Binding{Action: t.Action, Keys: []string{strconv.Itoa(i + 1)}, Group: screens, Help: t.Name,
			Long: t.Long})
		regions = append(regions, t.Region)
	}
	return digits, regions
}

// The regions that screens pass to the table. A binding for "explore" holds in
// everything that begins with "explore.".
const (
	InExplore   = "explore"
	InSliders   = "explore.sliders"
	InPlot      = "explore.plot"
	InCrosshair = "explore.plot.crosshair" // the arrow keys move it
	InRanking   = "explore.ranking"
	InInspector = "explore.inspector"
	InProbe     = "probe"
	InForm      = "probe.form"
	InChoice    = "probe.form.choice" // a field whose values are stepped through
	InStart     = "probe.form.start"
	InEnded     = "probe.ended"
	InRun       = "probe.run"

	// Several probes, among which the keys move.
	InEndedCells = "probe.ended.cells"
	InRunCells   = "probe.run.cells"

	InFleet         = "fleet"
	InFleetSliders  = "fleet.sliders"
	InFleetPolicies = "fleet.policies"

	InTraffic        = "traffic"
	InTrafficSliders = "traffic.sliders"
	InTrafficSchemes = "traffic.schemes"

	// The dialog that e opens.
	InExport        = "export"
	InExportForms   = "export.forms"
	InExportPreview = "export.preview"
	InExportName    = "export.name"

	InLibrary = "library"
	InModels  = "library.models"
	InRuns    = "library.runs"
	InVMs     = "library.vms"
	InPicks   = "library.picks"
	InImport  = "library.import"
)

// The sections of the help screen.
const (
	screens   = "Screens"
	moving    = "Moving"
	plotting  = "Plots"
	choosing  = "Choosing"
	asking    = "The question"
	measuring = "Probing"
	editing   = "Your database"
	program   = "Program"
)

// defaults lists every binding, in the order of footer, help and docs. Rank
// orders the footer: 1 is shown first, 0 never.
func defaults() []Binding {
	explore := []string{InExplore}
	plots := []string{InPlot}
	lists := []string{InRanking, InPlot, InInspector, InLibrary, InFleetPolicies, InTrafficSchemes}
	filtered := []string{InExplore, InLibrary}
	rows := append([]string{InForm, InRunCells, InEndedCells, InExport}, lists...)
	sliders := []string{InSliders, InFleetSliders, InTrafficSliders}
	stepped := append([]string{InPlot, InChoice}, sliders...)
	digits, anyScreen := tabBindings()
	return append(digits, []Binding{
		{Action: Left, Keys: []string{"left", "h"}, Group: moving, Help: "move", Long: "lower a value, go left", Rank: 3,
			Only: stepped, Words: map[string]string{InPlot: "frontier", InCrosshair: "crosshair", InChoice: "change"},
			Plain: true},
		{Action: Right, Keys: []string{"right", "l"}, Group: moving, Help: "move", Long: "raise a value, go right", Rank: 3,
			Only: stepped, Words: map[string]string{InPlot: "frontier", InCrosshair: "crosshair", InChoice: "change"},
			Plain: true},
		{Action: Up, Keys: []string{"up", "k"}, Group: moving, Help: "rows", Long: "previous row or slider", Rank: 4,
			Only: rows, Words: map[string]string{InCrosshair: "crosshair", InForm: "fields", InExportForms: "forms",
				InExportPreview: "scroll", InRunCells: "probes", InEndedCells: "probes"}, Plain: true},
		{Action: Down, Keys: []string{"down", "j"}, Group: moving, Help: "rows", Long: "next row or slider", Rank: 4,
			Only: rows, Words: map[string]string{InCrosshair: "crosshair", InForm: "fields", InExportForms: "forms",
				InExportPreview: "scroll", InRunCells: "probes", InEndedCells: "probes"}, Plain: true},
		{Action: BigLeft, Keys: []string{"[", "H"}, Group: moving, Help: "big", Long: "big step down", Rank: 7,
			Only: sliders},
		{Action: BigRight, Keys: []string{"]", "L"}, Group: moving, Help: "big", Long: "big step up", Rank: 7, Only: sliders},
		{Action: PageUp, Keys: []string{"pgup", "ctrl+u"}, Group: moving, Help: "page", Long: "a page up"},
		{Action: PageDown, Keys: []string{"pgdown", "ctrl+d"}, Group: moving, Help: "page", Long: "a page down"},
		{Action: Top, Keys: []string{"g", "home"}, Group: moving, Help: "top", Long: "first row, low end of a slider"},
		{Action: Bottom, Keys: []string{"G", "end"}, Group: moving, Help: "bottom", Long: "last row, high end of a slider"},
		{Action: Enter, Keys: []string{"enter"}, Group: moving, Help: "enter",
			Long: "type an exact value, inspect a row, start what is under the cursor", Rank: 6,
			Words: map[string]string{InSliders: "type", InFleetSliders: "type", InTrafficSliders: "type",
				InFleetPolicies: "words", InTrafficSchemes: "words", InPlot: "row", InCrosshair: "select", InRanking: "why",
				InInspector: "back", InForm: "edit", InChoice: "edit", InStart: "start", InEnded: "form", InLibrary: "rank",
				InExport: "write"}, Only: []string{InSliders, InPlot, InRanking, InInspector, InForm, InEnded, InModels, InRuns,
				InPicks, InFleet, InTraffic, InExport}},
		{Action: FocusNext, Keys: []string{"tab"}, Group: moving, Help: "focus", Long: "next panel", Rank: 4,
			Words: map[string]string{InLibrary: "next list", InExportForms: "preview", InExportPreview: "name"},
			Only:  []string{InExplore, InLibrary, InFleet, InTraffic, InExport}, Plain: true},
		{Action: FocusPrev, Keys: []string{"shift+tab"}, Group: moving, Help: "focus back", Long: "previous panel"},
		{Action: Back, Keys: []string{"esc"}, Group: moving, Help: "back", Long: "leave what is open: a value, a " +
			"crosshair, a zoom, a filter, a dialog; discard a probe", Rank: 7, Words: map[string]string{InRun: "cancel",
			InExport: ""}, Only: []string{InRun, InCrosshair, InExport}},

		{Action: ZoomIn, Keys: []string{"z"}, Group: plotting, Help: "zoom", Long: "enlarge the plot around its " +
			"crosshair or the selected point; the wheel does so around the mouse", Rank: 7, Only: plots},
		{Action: ZoomOut, Keys: []string{"Z"}, Group: plotting, Help: "zoom", Long: "show more of the axes", Rank: 7,
			Only: plots},
		{Action: ZoomWhole, Keys: []string{"="}, Group: plotting, Help: "whole", Long: "show all points", Rank: 10,
			Only: plots},
		{Action: PanLeft, Keys: []string{"shift+left"}, Group: plotting, Help: "pan",
			Long: "show what is left of a zoomed plot; the mouse drags it", Rank: 10, Only: plots},
		{Action: PanRight, Keys: []string{"shift+right"}, Group: plotting, Help: "pan", Long: "show what is right of it",
			Rank: 10, Only: plots},
		{Action: PanUp, Keys: []string{"shift+up"}, Group: plotting, Help: "pan", Long: "show what is above it", Rank: 10,
			Only: plots},
		{Action: PanDown, Keys: []string{"shift+down"}, Group: plotting, Help: "pan", Long: "show what is below it", Rank: 10,
			Only: plots},
		{Action: Crosshair, Keys: []string{"i"}, Group: plotting, Help: "read", Long: "a crosshair that reads values " +
			"and counts the candidates of a cell; the arrow keys move it, as pointing does with the mouse", Rank: 10,
			Only: plots},

		{Action: NextChart, Keys: []string{"V"}, Group: plotting, Help: "chart", Long: "on Traffic: a function's " +
			"memory, VMs against functions, or the variants of the model", Rank: 9, Only: []string{InTraffic}},

		{Action: Filter, Keys: []string{"/"}, Group: choosing, Help: "filter",
			Long: "keep the rows that contain what you type", Rank: 8, Only: filtered},
		{Action: Sort, Keys: []string{"s"}, Group: choosing, Help: "sort", Long: "sort by the next column", Rank: 8,
			Only: append([]string{InExplore}, lists...)},
		{Action: Reverse, Keys: []string{"S"}, Group: choosing, Help: "reverse", Long: "reverse the order",
			Only: append([]string{InExplore}, lists...)},
		{Action: Pin, Keys: []string{"space"}, Group: choosing, Help: "pin",
			Long: "pin a candidate to compare, switch a choice", Rank: 8, Words: map[string]string{InChoice: "switch"},
			Only: []string{InExplore, InChoice}},
		{Action: Pick, Keys: []string{"x"}, Group: choosing, Help: "pick",
			Long: "choose this candidate and keep the choice with its question", Rank: 5, Only: explore},
		{Action: Export, Keys: []string{"e"}, Group: choosing, Help: "export", Long: "choose a form, see it, and write " +
			"it: for the next tool, as a report, as data", Rank: 9, Only: []string{InExplore, InFleet, InTraffic, InPicks}},
		{Action: Copy, Keys: []string{"y"}, Group: choosing, Help: "copy", Long: "copy the row, or what the export " +
			"dialog shows, to the clipboard, also over SSH", Rank: 14, Only: []string{InExplore, InExport}},
		{Action: Undo, Keys: []string{"u"}, Group: choosing, Help: "undo", Long: "take the last change back: of the " +
			"question, on Library of your database", Rank: 9, Only: []string{InExplore, InFleet, InTraffic, InModels,
			InRuns, InPicks}},
		{Action: Redo, Keys: []string{"U", "ctrl+r"}, Group: choosing, Help: "redo", Long: "do again what was undone",
			Only: []string{InExplore, InFleet, InTraffic}},

		{Action: Model, Keys: []string{"m"}, Group: asking, Help: "model", Long: "next model", Rank: 5,
			Only: []string{InExplore, InTraffic}},
		{Action: Workload, Keys: []string{"w"}, Group: asking, Help: "work", Long: "training or inference", Rank: 10,
			Only: explore},
		{Action: Batch, Keys: []string{"b"}, Group: asking, Help: "batch", Long: "filter by batch size", Rank: 10,
			Only: explore},
		{Action: Purchase, Keys: []string{"$"}, Group: asking, Help: "price", Long: "on demand, spot, or reserved", Rank: 10,
			Only: []string{InExplore, InFleet}, Words: map[string]string{InFleet: "term"}},
		{Action: Bill, Keys: []string{"B"}, Group: asking, Help: "bill", Long: "what is paid beside the work: " +
			"start-up, disk, egress, interruptions of spot VMs", Rank: 12, Only: explore},
		{Action: Clouds, Keys: []string{"c"}, Group: asking, Help: "cloud", Long: "filter by cloud", Only: explore, Rank: 11},
		{Action: GPUs, Keys: []string{"n"}, Group: asking, Help: "GPU", Long: "filter by GPU; on Fleet the next VM type",
			Only: []string{InExplore, InFleet}, Words: map[string]string{InFleet: "VM type"}, Rank: 11},
		{Action: Variants, Keys: []string{"v"}, Group: asking, Help: "variant", Long: "filter by variant",
			Only: explore, Rank: 11},
		{Action: Feasible, Keys: []string{"f"}, Group: asking, Help: "hide", Long: "show or hide what is infeasible",
			Only: explore, Rank: 11},
		{Action: Predicted, Keys: []string{"P"}, Group: asking, Help: "predict",
			Long: "rank also what was not probed, by prediction", Only: explore, Rank: 13},
		{Action: Combined, Keys: []string{"C"}, Group: asking, Help: "combine", Long: "in inference, rank also " +
			"combinations of VM types: their exact frontier", Only: explore, Rank: 13},
		{Action: Scheduler, Keys: []string{"d"}, Group: asking, Help: "scheduler", Long: "next scheduler of the reserved VMs",
			Only: []string{InFleet}, Rank: 9},
		{Action: Overlap, Keys: []string{"O"}, Group: asking, Help: "overlap", Long: "let reduced jobs run at the same " +
			"time as those behind them, as the study does", Only: []string{InFleet}, Rank: 10},
		{Action: Redraw, Keys: []string{"R"}, Group: asking, Help: "redraw",
			Long: "draw deadlines, models and users' decisions again", Only: []string{InFleet}, Rank: 11},
		{Action: Clear, Keys: []string{"0"}, Group: asking, Help: "clear", Long: "take all constraints and filters away",
			Only: []string{InExplore, InTraffic}, Rank: 11},
		{Action: Plots, Keys: []string{"X"}, Group: asking, Help: "plots",
			Long: "plot time × energy, where any run has an energy", Only: explore},
		{Action: Axes, Keys: []string{"a"}, Group: asking, Help: "axes", Long: "logarithmic or linear axes",
			Only: explore, Rank: 11},

		{Action: ProbeThis, Keys: []string{"p"}, Group: measuring, Help: "probe",
			Long: "measure this candidate; on the form: start", Rank: 5, Words: map[string]string{InForm: "start",
				InEnded: "again"}, Only: []string{InExplore, InForm, InEnded, InLibrary}},
		{Action: NextProbe, Keys: []string{"N"}, Group: measuring, Help: "next probe",
			Long: "probe the VM type whose measurement is expected to save the most", Only: explore, Rank: 13},
		{Action: Stop, Keys: []string{"."}, Group: measuring, Help: "stop and save",
			Long: "end the probe at the next step and keep what it measured", Rank: 1, Only: []string{InRun}},
		{Action: Keep, Keys: []string{"+"}, Group: measuring, Help: "keep running", Long: "go on past the stop rule", Rank: 3,
			Only: []string{InRun}},
		{Action: Follow, Keys: []string{"F"}, Group: measuring, Help: "follow",
			Long: "show the probe that runs, and the next one when it does", Rank: 5, Only: []string{InRunCells}},

		{Action: Delete, Keys: []string{"D"}, Group: editing, Help: "delete", Long: "delete a run of your own, all " +
			"runs of a model, or a pick; u brings it back", Only: []string{InModels, InRuns, InPicks}, Rank: 6},
		{Action: Rename, Keys: []string{"E", "f2"}, Group: editing, Help: "rename",
			Long: "give a run another model and variant, or a model another name", Only: []string{InModels, InRuns}, Rank: 7},
		{Action: Annotate, Keys: []string{"A"}, Group: editing, Help: "note", Long: "note a line beside a run or a pick",
			Only: []string{InRuns, InPicks}, Rank: 7},
		{Action: Import, Keys: []string{"I"}, Group: editing, Help: "import", Long: "take runs from other programs' " +
			"logs and tables: a file, a folder or a pattern", Only: []string{InLibrary}, Rank: 9},
		{Action: Merge, Keys: []string{"J"}, Group: editing, Help: "merge",
			Long: "join the runs and picks of another database to yours", Only: []string{InLibrary}, Rank: 11},
		{Action: Backup, Keys: []string{"W"}, Group: editing, Help: "back up",
			Long: "write a copy of the database to a new file", Only: []string{InLibrary}, Rank: 11},

		{Action: Open, Keys: []string{"o"}, Group: program, Help: "open",
			Long: "open a profile database, a model file, or a trace", Rank: 12, Only: anyScreen},
		{Action: Refresh, Keys: []string{"r"}, Group: program, Help: "refresh", Long: "read the database again"},
		{Action: Theme, Keys: []string{"t"}, Group: program, Help: "theme", Long: "next theme"},
		{Action: Mouse, Keys: []string{"M"}, Group: program, Help: "mouse",
			Long: "mouse on or off, so that text can be selected"},
		{Action: Help, Keys: []string{"?"}, Group: program, Help: "help", Long: "this list", Rank: 2},
		{Action: Quit, Keys: []string{"q"}, Group: program, Help: "quit",
			Long: "leave; asks first while a probe runs", Rank: 2},
		{Action: Interrupt, Keys: []string{"ctrl+c"}, Group: program, Help: "quit",
			Long: "leave, like q, also while text is typed"},
	}...)
}
