package reproduce

import (
	"math"

	"sweetspot/engine/training"
)

// in gives the cell of another column in the same line of the table.
func (k Key) in(column string) Key {
	k.Column = column
	return k
}

// of gives the same cell of another table.
func (k Key) of(table, validation string) Key {
	k.Table, k.Validation = table, validation
	return k
}

const measuredNote = "a measurement of the thesis: an input"

// byEpochs computes table 5.2: method 1 from the first and the average epoch.
func byEpochs(k Key) computation {
	terms := func(r *reading) training.Epochs {
		return training.Epochs{Init: r.at(k.in("init_s")), First: r.at(k.in("first_epoch_s")),
			Second: r.at(k.in("average_epoch_s"))}
	}
	switch k.Column {
	case "estimated_s":
		return computation{note: "method 1 (equation 5.1)", formula: func(r *reading) float64 {
			return training.Method1(terms(r), r.at(k.in("epochs")))
		}}
	case "average_epoch_s":
		return computation{note: "method 1 solved for it from the printed estimate", formula: func(r *reading) float64 {
			oneEpoch := training.Method1(training.Epochs{Init: r.at(k.in("init_s")), First: r.at(k.in("first_epoch_s"))}, 1)
			return (r.at(k.in("estimated_s")) - oneEpoch) / (r.at(k.in("epochs")) - 1)
		}}
	case "epochs":
		return computation{note: "method 1 solved for it from the printed estimate", formula: func(r *reading) float64 {
			return 1 + (r.at(k.in("estimated_s"))-training.Method1(terms(r), 1))/r.at(k.in("average_epoch_s"))
		}}
	case "error_percent":
		return errorColumn(k, "estimated_s")
	}
	return computation{note: measuredNote}
}

// errorColumn is the printed error of an estimate; what it is divided by
// differs from table to table.
func errorColumn(k Key, divisor string) computation {
	words := map[string]string{"estimated_s": "estimate", "real_s": "real time"}[divisor]
	return computation{
		note: "|real − estimate| of the printed times, divided by the " + words,
		formula: func(r *reading) float64 {
			return 100 * math.Abs(r.at(k.in("real_s"))-r.at(k.in("estimated_s"))) / r.at(k.in(divisor))
		},
	}
}

// byIterations computes tables 5.3, 5.4, 5.5 and 5.9: method 2 from the first
// iteration and a later one.
func byIterations(k Key) computation {
	later := "second_iteration_s"
	if k.Table == "5.5" {
		later = "average_iteration_s"
	}
	switch k.Column {
	case "estimated_s", later:
		return method2Column(k, later)
	case "error_percent":
		if k.Table == "5.4" {
			how := errorColumn(k, "real_s")
			how.otherway = "with the real time of table 5.3 it is %s"
			how.other = func(r *reading) float64 {
				truth := r.at(k.in("real_s").of("5.3", "yes"))
				return 100 * math.Abs(truth-r.at(k.in("estimated_s"))) / truth
			}
			return how
		}
		return errorColumn(k, "estimated_s")
	}
	twin, ok := map[string]Key{
		"5.3": k.of("5.5", "no"), "5.4": k.of("5.3", "yes"), "5.5": k.of("5.3", "yes"),
		"5.9": k.of("5.9", other(k.Validation)),
	}[k.Table]
	if !ok {
		return computation{note: measuredNote}
	}
	return sameRuns(twin)
}

func other(validation string) string {
	if validation == "yes" {
		return "no"
	}
	return "yes"
}

// sameRuns is a measurement that is printed once more elsewhere.
func sameRuns(twin Key) computation {
	note := "a measurement: held against the same runs in table " + twin.Table
	if twin.Table == "5.9" {
		note = "a measurement: held against the same runs in the other half of the table"
	}
	return computation{note: note, formula: func(r *reading) float64 { return r.at(twin) }}
}

func method2Column(k Key, later string) computation {
	if k.Table == "5.9" && k.Validation == "yes" {
		if k.Column == later {
			return sameRuns(k.of("5.9", "no"))
		}
		return computation{note: "the times of MNIST's validations are not published"}
	}
	compute := func(perEpoch func(*reading) float64) formula {
		return func(r *reading) float64 {
			t := iterationTerms(r, k)
			t.PerEpoch = perEpoch(r)
			n := r.at(epochsKey(k))
			if k.Column == later {
				return steadyOf(t, n, r.at(k.in("estimated_s")))
			}
			t.Steady = r.at(k.in(later))
			return training.Method2(t, n)
		}
	}
	how := computation{
		note:    "method 2 (equation 5.4, the first iteration counted once)",
		formula: compute(func(r *reading) float64 { return perEpoch(r, k) }),
	}
	if k.Validation == "yes" {
		how.note = "method 2 (equation 5.3) with the validation times of the text"
	}
	if k.Column == later {
		how.note += " solved for it from the printed estimate"
	}
	if k.Table == "5.9" {
		// The stated 50,000 training images make 195 iterations of 256; the
		// printed iteration times and estimates fit together with 60,000.
		how.other = compute(func(*reading) float64 { return math.Ceil(60000 / float64(k.Batch)) })
		how.otherway = "with 60,000 training images, as MNIST has, instead of the stated 50,000 it is %s"
	}
	return how
}

// iterationTerms are the terms of method 2 in a line of a table, without the
// steady iteration.
func iterationTerms(r *reading, k Key) training.Iterations {
	t := training.Iterations{Startup: r.at(k.in("init_s")) + r.at(k.in("first_iteration_s"))}
	if k.Validation == "yes" {
		text := Key{Table: "text", Application: k.Application, Batch: k.Batch}
		t.FirstValidation, t.Validation = r.at(text.in("first_validation_s")), r.at(text.in("validation_s"))
	}
	return t
}

func epochsKey(k Key) Key {
	return Key{Table: "5.1", Application: k.Application, Batch: k.Batch, Column: "epochs"}
}

// perEpoch is the number of iterations per epoch as the thesis' estimates have
// it: a fraction for the seismic images, table 5.1's whole number for MNIST
// (whose seismic lines hold the iterations of all epochs).
func perEpoch(r *reading, k Key) float64 {
	if k.Application == "MNIST/Simple-CNN" {
		return r.at(Key{Table: "5.1", Application: k.Application, Batch: k.Batch, Column: "iterations"})
	}
	return r.at(Key{Table: "text", Application: k.Application, Column: "train_images"}) / float64(k.Batch)
}

// steadyOf solves method 2, which is linear in the steady iteration, for it.
func steadyOf(t training.Iterations, epochs, total float64) float64 {
	t.Steady = 0
	without := training.Method2(t, epochs)
	t.Steady = 1
	return (total - without) / (training.Method2(t, epochs) - without)
}
