package keys

import (
	"slices"
	"strconv"
	"strings"
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
	Metric    Action = "metric"
	Feasible  Action = "feasible"
	Predicted Action = "predicted"
	Combined  Action = "combined"
	FixSteps  Action = "fix-steps"
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
	Unfilter  Action = "unfilter"
	Stop      Action = "stop"
	Keep      Action = "keep-running"
	Follow    Action = "follow"
	Add       Action = "add"
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
	{Explore, InExplore, "Explore", "set constraints, see the frontiers and the ranking"},
	{Probe, InProbe, "Probe", "measure a model or a training script"},
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
	InOffer     = "probe.form.offer"  // a GPU type of a queue
	InStart     = "probe.form.start"
	InLeft      = "probe.form.left" // probes that go on elsewhere
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

	// Traffic of a language model.
	InTokens       = "traffic.tokens"
	InTokenSliders = "traffic.tokens.sliders"
	InTokenLoads   = "traffic.tokens.loads"

	// Traffic of several kinds of request.
	InMix        = "traffic.mix"
	InMixSliders = "traffic.mix.sliders"
	InMixKinds   = "traffic.mix.kinds"

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
	InMapping = "mapping" // the form that an import asks for the columns of a table
)

// Sections of the help screen that the code asks about.
const (
	screens = "Screens"
	moving  = "Moving"
)

// row is a binding as the table below writes it.
type row struct {
	action Action
	keys   string // with blanks between
	word   string // for the footer
	rank   int
	only   []string
	long   string
}

// in are regions, as of a row.
func in(regions ...string) []string { return regions }

// footerWords are other words for the footer in some regions.
var footerWords = map[Action]map[string]string{
	Left: horizontal, Right: horizontal, Up: vertical, Down: vertical,
	Enter: {InSliders: "type", InFleetSliders: "type", InTrafficSliders: "type", InTokenSliders: "type",
		InMixSliders: "type", InMixKinds: "advice",
		InFleetPolicies: "advice", InTrafficSchemes: "advice", InTokenLoads: "advice", InPlot: "row",
		InCrosshair: "select", InRanking: "why", InInspector: "back",
		InForm: "edit", InChoice: "edit", InStart: "start", InOffer: "choose", InLeft: "follow",
		InEnded: "form", InLibrary: "rank", InExport: "write",
		InMapping: "import"},
	FocusNext: {InLibrary: "next list", InExportForms: "preview", InExportPreview: "name"},
	Back:      {InRun: "cancel", InExport: ""},
	Pin:       {InChoice: "switch", InOffer: "choose"},
	Purchase:  {InFleet: "term"},
	GPUs:      {InFleet: "VM type", InTokens: "VM type", InMix: "VM type"},
	Model:     {InMix: "models"},
	Workload:  {InTraffic: "load"},
	Rename:    {InMix: "edit"},
	ProbeThis: {InForm: "start", InEnded: "again"},
}

var (
	horizontal = map[string]string{InPlot: "frontier", InCrosshair: "crosshair", InChoice: "change", InOffer: "how many",
		InMapping: "change"}
	vertical = map[string]string{InCrosshair: "crosshair", InForm: "fields", InExportForms: "formats",
		InExportPreview: "scroll", InRunCells: "probes", InEndedCells: "probes", InMapping: "columns"}
)

// plain keys say enough where the footer is short.
var plain = []Action{Left, Right, Up, Down, FocusNext}

// defaults lists every binding, in the order of footer, help and docs. Rank
// orders the footer: 1 is shown first, 0 never.
func defaults() []Binding {
	explore, plots, filtered := in(InExplore), in(InPlot), in(InExplore, InLibrary)
	lists := in(InRanking, InPlot, InInspector, InLibrary, InFleetPolicies, InTrafficSchemes,
		InTokenLoads, InMixKinds)
	loads := in(InExplore, InTrafficSliders, InTrafficSchemes, InMix)
	sorted := append(in(InExplore), lists...)
	rows := append(in(InForm, InMapping, InRunCells, InEndedCells, InExport), lists...)
	sliders := in(InSliders, InFleetSliders, InTrafficSliders, InTokenSliders, InMixSliders)
	stepped := append(in(InPlot, InChoice, InOffer, InMapping), sliders...)
	out, anyScreen := tabBindings()
	for _, section := range []struct {
		name string
		rows []row
	}{
		{moving, []row{
			{Left, "left h", "move", 3, stepped, "lower a value, go left"},
			{Right, "right l", "move", 3, stepped, "raise a value, go right"},
			{Up, "up k", "rows", 4, rows, "previous row or slider"},
			{Down, "down j", "rows", 4, rows, "next row or slider"},
			{BigLeft, "[ H", "move", 7, sliders, "big step down"},
			{BigRight, "] L", "move", 7, sliders, "big step up"},
			{PageUp, "pgup ctrl+u", "page", 0, nil, "a page up"},
			{PageDown, "pgdown ctrl+d", "page", 0, nil, "a page down"},
			{Top, "g home", "top", 0, nil, "first row, low end of a slider"},
			{Bottom, "G end", "bottom", 0, nil, "last row, high end of a slider"},
			{Enter, "enter", "enter", 6, in(InSliders, InPlot, InRanking, InInspector, InForm, InEnded, InModels, InRuns,
				InPicks, InFleet, InTraffic, InExport, InMapping),
				"type an exact value, inspect a row, start what is under the cursor"},
			{FocusNext, "tab", "focus", 4, in(InExplore, InLibrary, InFleet, InTraffic, InExport), "next panel"},
			{FocusPrev, "shift+tab", "focus back", 0, nil, "previous panel"},
			{Back, "esc", "back", 7, in(InRun, InCrosshair, InExport, InMapping),
				"close what is open: a value, a crosshair, a zoom, a filter, a dialog; discard a probe"},
		}},
		{"Plots", []row{
			{ZoomIn, "z", "zoom", 7, plots,
				"zoom in on the crosshair or the selected point; the mouse wheel zooms in on the pointer"},
			{ZoomOut, "Z", "zoom", 7, plots, "zoom out"},
			{ZoomWhole, "=", "whole", 10, plots, "show all points"},
			{PanLeft, "shift+left", "pan", 10, plots, "pan a zoomed plot to the left; dragging with the mouse pans too"},
			{PanRight, "shift+right", "pan", 10, plots, "pan to the right"},
			{PanUp, "shift+up", "pan", 10, plots, "pan up"},
			{PanDown, "shift+down", "pan", 10, plots, "pan down"},
			{Crosshair, "i", "read", 10, plots,
				"show a crosshair that reads values and counts the candidates in a cell; the arrow keys or the mouse move it"},
			{NextChart, "V", "chart", 9, in(InTraffic),
				"next chart: a function's memory, VMs against functions, or the variants of the model; of a language model, its " +
					"prices or its cost by load; of a mix, a function's memory or what is late"},
		}},
		{"Choosing", []row{
			{Filter, "/", "filter", 8, filtered, "show only the rows that contain what you type"},
			{Sort, "s", "sort", 8, sorted, "sort by the next column"},
			{Reverse, "S", "reverse", 0, sorted, "reverse the order"},
			{Pin, "space", "pin", 8, in(InExplore, InChoice, InOffer),
				"pin a candidate to compare it; change a choice; take a GPU type of a queue, or leave it"},
			{Pick, "x", "pick", 5, explore, "save this candidate and its question as a pick"},
			{Export, "e", "export", 9, in(InExplore, InFleet, InTraffic, InPicks),
				"preview and write a launch file, a report or data"},
			{Copy, "y", "copy", 14, in(InExplore, InExport),
				"copy the row, or what the export dialog shows, to the clipboard, also over SSH"},
			{Undo, "u", "undo", 9, in(InExplore, InFleet, InTraffic, InModels, InRuns, InPicks),
				"undo the last change to the question; on Library, to your database"},
			{Redo, "U ctrl+r", "redo", 0, in(InExplore, InFleet, InTraffic), "redo what was undone"},
		}},
		{"The question", []row{
			{Model, "m", "model", 5, in(InExplore, InTraffic), "choose a model: type to search; enter alone takes the next one"},
			{Workload, "w", "mode", 10, loads,
				"switch between training and inference; on Traffic, choose the load: a trace, or a synthetic one"},
			{Add, "& insert", "add", 5, in(InMix), "add a kind of request to a mix"},
			{Batch, "b", "batch", 10, explore, "choose batch sizes; enter alone takes the next one"},
			{Purchase, "$", "price", 10, in(InExplore, InFleet), "next purchase option: on-demand, spot or reserved"},
			{Bill, "B", "bill", 12, explore,
				"set additional costs: start-up, disk, egress, electricity, interruptions of spot VMs"},
			{Clouds, "c", "cloud", 11, explore, "choose clouds"},
			{GPUs, "n", "GPU", 11, in(InExplore, InFleet, InTokens, InMix), "choose GPUs; on Fleet and Traffic, a VM type"},
			{Variants, "v", "variant", 11, explore, "choose variants; of a language model, what its weights are kept in"},
			{Metric, "%", "metric", 14, explore,
				"choose the metric in which accuracies are compared, where they are in several"},
			{Feasible, "f", "hide", 11, explore, "show or hide infeasible candidates"},
			{Predicted, "P", "predict", 13, explore, "also rank predicted candidates, which were never probed"},
			{Combined, "C", "combine", 13, explore, "for inference, also rank combinations of VM types: their exact frontier"},
			{FixSteps, "K", "fix steps", 13, explore,
				"of a training counted in steps: as many steps at every batch size, or again as many units"},
			{Scheduler, "d", "scheduler", 9, in(InFleet), "next scheduler of the reserved VMs"},
			{Overlap, "O", "overlap", 10, in(InFleet),
				"let INT8 jobs overlap the jobs queued behind them, as in the study"},
			{Redraw, "R", "redraw", 11, in(InFleet), "draw new random deadlines, models and user decisions"},
			{Unfilter, "backspace", "widen", 12, explore, "take the last filter or limit away; a click on it does too"},
			{Clear, "0", "clear", 11, in(InExplore, InTraffic), "clear all constraints and filters"},
			{Plots, "t", "plot", 12, explore,
				"plot the next pair: time, cost, accuracy, energy; of the plot that has the keys, else of the first"},
			{Axes, "a", "axes", 11, explore, "logarithmic or linear axes"},
		}},
		{"Probing", []row{
			{ProbeThis, "p", "probe", 5, in(InExplore, InForm, InEnded, InLibrary),
				"probe this candidate; on the form, start the probe"},
			{NextProbe, "N", "next probe", 13, explore, "probe the VM type whose measurement is expected to save the most"},
			{Stop, ".", "stop and save", 1, in(InRun), "stop the probe at the next step and save the result"},
			{Keep, "+", "keep running", 3, in(InRun), "keep running after the stop rule is met"},
			{Follow, "F", "follow", 5, in(InRunCells), "follow the running probe, then the next one"},
		}},
		{"Your database", []row{
			{Delete, "D", "delete", 6, in(InModels, InRuns, InPicks, InMix),
				"delete one of your runs, all runs of a model, or a pick; on Traffic, a kind of request; u restores it"},
			{Rename, "E f2", "rename", 7, in(InModels, InRuns, InMix),
				"change a run's model and variant, or rename a model; on Traffic, change a kind of request as text"},
			{Annotate, "A", "note", 7, in(InRuns, InPicks), "add a note to a run or a pick"},
			{Import, "I", "import", 9, in(InLibrary),
				"import runs from logs and tables of other programs: a file, a folder or a pattern"},
			{Merge, "J", "merge", 11, in(InLibrary), "copy the runs and picks of another database into yours"},
			{Backup, "W", "back up", 11, in(InLibrary), "copy the database to a new file"},
		}},
		{"Program", []row{
			{Open, "o", "open", 12, anyScreen, "open a profile database, a model file, or a trace"},
			{Refresh, "r", "refresh", 0, nil, "reload the database"},
			{Theme, "T", "theme", 0, nil, "next theme"},
			{Mouse, "M", "mouse", 0, nil, "turn the mouse on or off; when it is off, the terminal can select text"},
			{Help, "?", "help", 2, nil, "this list"},
			{Quit, "q", "quit", 2, nil, "quit; asks first if a probe is running here; one in a queue goes on"},
			{Interrupt, "ctrl+c", "quit", 0, nil,
				"quit at once, even while you type; a running probe is stopped and saved, one in a queue goes on"},
		}},
	} {
		for _, r := range section.rows {
			out = append(out, Binding{Action: r.action, Keys: strings.Fields(r.keys), Group: section.name, Help: r.word,
				Words: footerWords[r.action], Long: r.long, Only: r.only, Rank: r.rank, Plain: slices.Contains(plain, r.action)})
		}
	}
	return out
}
