package keys

import (
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// term is a word or a sign that stands on the screen, and what it means.
type term struct{ word, meaning string }

// sweet stands for the theme's sign of the best choice.
const sweet = "✦"

// terms explain what stands in a region, in the help that is opened from it.
var terms = map[string][]term{
	InSliders: {
		{"▸ binds", "the limit that keeps the best candidate out"},
		{"bars", "a track is a histogram: how many candidates there are at each value"},
		{"weight", "how much time and cost count in the score"},
	},
	InPlot: {
		{"line", "the frontier: no candidate is better in both objectives than one on it"},
		{"● ▲ ■", "one sign for each kind of GPU, as the legend says"},
		{"◉ ◈", "the selected candidate, and the pinned ones; bars show the 90 % interval"},
	},
	InRanking: {
		{"±", "half of the 90 % interval: nine in ten true values lie inside"},
		{"P( )", "the probability, from the intervals, that the candidate is the cheapest, the fastest or the best of " +
			"those that keep the limits"},
		{"score", "time over the least time and cost over the least cost, averaged by the weight slider; 1 is best in both"},
		{"CAR", "cost–accuracy ratio: US dollars for each unit of accuracy (100 points); lower is better"},
		{"TAR", "time–accuracy ratio: time for each unit of accuracy; lower is better"},
		{sweet, "the strongest pruning that still keeps the accuracy"},
		{"+3", "so many more configurations are the same choice; enter shows them"},
		{"meas", "measured on this VM type at this batch size; publ: published; reco: reconstructed from published totals"},
		{"batch", "predicted from other batch sizes on this VM type; trans: from other VM types; spec: from published " +
			"figures of the hardware"},
	},
	InFleetSliders: {
		{"deadline", "the time that jobs have, as a multiple of their runtimes; jobs that would be late run on demand"},
		{"INT8 time", "factor on the runtimes in reduced precision"},
		{"users", "how likely users take an offer of s, where the most that pays is max: the study has them accept with " +
			"s/max"},
		{"marks", "the number of VMs with the lowest bill; the on-demand prices between which offers begin to pay off"},
	},
	InFleetPolicies: {
		{"offer", "what a user gets for running in INT8 on a reserved VM, as a multiple of what the reduced job costs " +
			"there; the provider pays it as a penalty"},
		{"asked jobs", "what the jobs cost whose users can be asked: those that are late in full precision on reserved " +
			"VMs, and in time in INT8"},
		{"of on-demand", "their cost as a share of renting for all of them on demand"},
		{"ApproxDNN", "makes the offer that is expected to cost the provider least (Nabavinejad et al., 2019)"},
		{"on-demand", "makes no offer; acceptance-centric offers 0.9 of the most that pays, penalty-centric 0.1 of it"},
		{sweet, "the policy that is expected to cost least"},
		{"whole bill", "all jobs and all reserved VMs, over the time of the trace"},
	},
	InTrafficSliders: {
		{"latency", "the limit of strict requests; relaxed ones may take longer"},
		{"strict", "the share of requests that are strict"},
		{"VM start-up", "from asking for a VM to its first answer"},
		{"function", "memory of a serverless function, which decides how fast it is and what it costs"},
	},
	InTrafficSchemes: {
		{"extra", "over-provisioning: VM time beyond that of the reactive scheme"},
		{"late", "the share of requests that are answered later than their limit"},
		{"p99", "99 in 100 requests are answered within this time"},
		{"reactive", "has VMs for the load there is; util-aware keeps them below 80 % load; exascale goes by the load it " +
			"expects"},
		{"mixed", "sends to functions what finds no VM free; paragon only strict requests (Gunasekaran et al., 2020)"},
		{sweet, "the cheapest scheme that keeps the limits"},
	},
	InMixSliders: {
		{"share", "of the requests; those of the others follow, so that all add up to 100 %"},
		{"latency", "the limit of the strict requests of this kind"},
		{"accuracy", "the least of the models to choose from; the cheapest of them serves"},
		{"cost", "the most that a million requests may cost; the most accurate model within it serves"},
		{"function", "memory of a serverless function, which decides how fast it is and what it costs"},
		{"its time", "of a request on a warm function; its knee is the memory from which it gets no faster"},
		{"its fixed share", "the part of its time that more memory does not shorten"},
	},
	InMixKinds: {
		{"limit", "the least accuracy, or the most that a million requests may cost; else the cheapest model serves"},
		{"served by", "variant, VM type and batch size; of all requests, the cheapest scheme that keeps the limits"},
		{"in time", "the share of the requests that are answered within their limit"},
		{"cost", "what this load costs; of kinds that share VMs, the part of each by its requests"},
		{"±", "half of the 90 % interval, from those of the measured times"},
		{"basis", "what the times rest on: measured, published or reconstructed"},
	},
	InRuns: {
		{"run", "the number by which runs show, note and delete take it; lib: a run of the built-in library"},
		{"iteration", "the mean of steady iterations, or the total of a run without step times"},
		{"basis", "whether a run was measured, published, or reconstructed from published totals"},
	},
	InModels: {
		{"unit", "what is counted: an image, a sample, a token"},
		{"GFLOPs/unit", "billions of operations of a forward pass on one unit, a multiply-add counting as two"},
	},
}

// termsOf are those of the closest region that has some.
func termsOf(region string) []term {
	best := "" // its name
	for r := range terms {
		if within(region, r) && len(r) > len(best) {
			best = r
		}
	}
	return terms[best]
}

// termLines draws what stands in a region and what it means.
func termLines(th *theme.Theme, region string, width int) []string {
	of := termsOf(region)
	if len(of) == 0 {
		return nil
	}
	wordWidth := 0
	for _, t := range of {
		wordWidth = max(wordWidth, text.Width(t.word))
	}
	wordWidth = min(wordWidth, width/2)
	lines := []string{th.Title.Render(text.Truncate("What stands in this panel", width, th.Symbols.Ellipsis))}
	for _, t := range of {
		if t.word == sweet {
			t.word = string(th.Symbols.Sweet)
		}
		lines = append(lines, entry(column{t.word, wordWidth, th.Key}, column{t.meaning, width - wordWidth - gap,
			th.Text})...)
	}
	return append(lines, "")
}
