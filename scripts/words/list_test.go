package words

// entry is a phrase or a private word that must not come back.
type entry struct {
	// phrase is text in plain English; it is found across line breaks and in
	// any case. word is one word of the language or one part of an identifier:
	// hearken is found in hearken, hearkenTo, lastHearken and last_hearken.
	// Exactly one of them is set.
	phrase, word string
	after        string   // not after this word: there, of "there is no price"
	use          string   // the usual words
	in           []string // only below these paths; everywhere if empty
	except       []string // not below these paths, where the word is the usual one
}

// The names of the Gaussian-process regression and of the learning curves
// replaced private ones in these packages.
var predictors = []string{"engine/transfer", "engine/curve", "engine/steady", "engine/training"}

// The Python of the hook and its tests say what the hook tells sweetspot.
var hook = []string{"probes/hook", "probes/frameworks"}

var entries = []entry{
	// English.
	{phrase: "prices are old by", use: "prices are N years old"},
	{phrase: "what is none", use: "what does not exist, or the thing itself: a missing price"},
	{phrase: "price is a none", use: "no price is known"},
	{phrase: "a price is none", use: "no price is known"},
	{phrase: "most worth to probe", use: "whose probe would save the most"},
	{phrase: "worth to probe", use: "worth probing"},
	{phrase: "minds anew", use: "minds again"},
	{phrase: "calls old by", use: "an old price shows its age"},
	{phrase: "what it is asked for", use: "its purpose"},
	{phrase: "no such among", use: "none of them matches"},
	{phrase: "too large to be meant", use: "too large"},
	{phrase: "lies ahead", use: "is in the future", in: []string{"cmd", "data"}},
	{phrase: "without a last word", use: "unexpectedly"},
	{phrase: "leave it away", use: "leave it out"},
	{phrase: "came to mind", use: "arbitrary"},
	{phrase: "nobody's total", use: "not a total"},
	{phrase: "sign of life", use: "heartbeat"},
	{phrase: "shop windows", use: "marketing"},
	{phrase: "ends in a sentence and not in a machine", use: "causes an error message instead of exhausting memory"},
	{phrase: "fits the memory", use: "fits in memory"},
	{phrase: "fit the memory", use: "fit in memory"},
	{phrase: "what can't be said", use: "what cannot be written"},
	{phrase: "gone for good", use: "removed permanently"},
	{phrase: "says the mend", use: "with the mend"},
	{phrase: "kind of queries", use: "kind of request"},
	{phrase: "kinds of queries", use: "kinds of request"},
	{phrase: "is told", use: "is given, known, estimated, reported", except: hook},
	{phrase: "nothing tells", use: "nothing shows it, it is unknown", except: hook},
	{word: "anew", use: "again, or redraw, recompute"},
	{phrase: "nine times of ten", use: "nine times out of ten"},
	{phrase: "one row a", use: "one row per"},
	{phrase: "one line a term", use: "one line per term"},
	{phrase: "one a line", use: "one per line"},
	{phrase: "plain method", use: "baseline"},
	{phrase: "say of the form", use: "flags that choose the form"},
	{phrase: "divided at will", use: "divided arbitrarily"},
	{phrase: "outer blanks", use: "surrounding white space"},
	{phrase: "a package a format", use: "a package for each format"},
	{phrase: "file a subcommand", use: "a file for each subcommand"},
	{phrase: "the truths", use: "the true values"},
	{phrase: "the fleet verb", use: "the fleet subcommand"},
	{phrase: "every verb", use: "every subcommand"},
	{phrase: "all rooms", use: "all layers"},
	{phrase: "for want of a better known", use: "no cost is known"},
	{phrase: "shall become of", use: "should happen to"},
	{phrase: "when looked at again", use: "at the next check"},
	{phrase: "when last looked at", use: "at the last check"},
	{phrase: "took their VMs as they come", use: "delayed the jobs queued behind them"},
	{phrase: "bill a month", use: "monthly bill"},
	{phrase: "assumed to be taken away", use: "assumed to be interrupted"},
	{phrase: "is paid beside the work", use: "additional costs"},
	{phrase: "most frugal", use: "most efficient"},
	{phrase: "stands on Explore", use: "appears on Explore"},
	{phrase: "cannot be written so", use: "cannot be written in this format"},
	{phrase: "is no flag", after: "there", use: "is not a flag"},
	{phrase: "is no number", after: "there", use: "is not a number"},
	{phrase: "is no price", after: "there", use: "is not a price"},
	{phrase: "is no format", after: "there", use: "is not a format"},
	{phrase: "is no host", after: "there", use: "is not a host"},
	{phrase: "is no terminal", after: "there", use: "is not a terminal"},

	// Probes.
	{word: "hearken", use: "warnIfSilent"},
	{word: "obey", use: "handle, carry out"},
	{word: "luggage", use: "preamble"},
	{word: "parting", use: "exitTimeout"},
	{word: "forsaken", use: "_replaces_primary"},
	{word: "surroundings", use: "Environment", in: []string{"probes", "cmd"}},
	{word: "vain", use: "without effect"},
	{word: "hopeless", use: "skipReason", in: []string{"probes/matrix"}},
	{word: "patience", use: "a timeout or a limit, by what it bounds", except: []string{"engine/curve", "engine/training",
		"GLOSSARY.md"}},
	{word: "picture", use: "state", in: []string{"probes"}},
	{word: "room", use: "privateDir", in: []string{"probes/runner"}},
	{word: "hurry", use: "shortened", in: []string{"probes/runner"}},
	{word: "news", use: "message", in: []string{"probes"}},
	{word: "unheard", use: "remedy", in: []string{"probes/session"}},

	// Engine.
	{word: "likeness", use: "correlation, similarity of kernels"},
	{word: "creep", use: "the growth below the knee"},
	{word: "creeps", use: "the growth below the knee"},
	{word: "imagine", use: "predict, simulate"},
	{word: "crossing", use: "interaction, kernel of the platform and the network", in: predictors},
	{word: "field", use: "Gaussian process, regression", in: []string{"engine/transfer"}},

	// Screens.
	{word: "undress", use: "unstyled"},
	{word: "dress", use: "style, decorate"},
	{word: "outlook", use: "the decision, the recommendation"},
}
