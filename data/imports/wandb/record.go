package wandb

import (
	"encoding/json"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// The field numbers that are read of wandb_internal.proto.
const (
	recordHistory, recordConfig, recordStats       protowire.Number = 2, 5, 7
	recordRun, recordExit, recordEnvironment       protowire.Number = 17, 18, 26
	exitCode                                       protowire.Number = 1
	historyItem, historyStep, stepNum              protowire.Number = 1, 2, 1
	itemKey, itemNested, itemInteger, itemNumber   protowire.Number = 1, 2, 5, 6
	itemText, itemJSON                             protowire.Number = 7, 16
	statsTime, statsItem, configUpdate             protowire.Number = 2, 3, 1
	runID, runProject, runConfig, runName, runTime protowire.Number = 1, 3, 4, 8, 17
	environmentGPU, environmentGPUs                protowire.Number = 18, 19
	timeSeconds, timeNanos                         protowire.Number = 1, 2
)

// field is a field of a message as it stands there.
type field struct {
	kind  protowire.Type
	bits  uint64
	bytes []byte
}

// fields passes the fields of a message on; what follows one that cannot be read is
// left alone.
func fields(data []byte, do func(protowire.Number, field)) {
	for len(data) > 0 {
		n, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return
		}
		data = data[size:]
		f := field{kind: kind}
		switch kind {
		case protowire.VarintType:
			f.bits, size = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.bits, size = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			f.bytes, size = protowire.ConsumeBytes(data)
		default:
			size = protowire.ConsumeFieldValue(n, kind, data)
		}
		if size < 0 {
			return
		}
		data = data[size:]
		do(n, f)
	}
}

// item is a value that was logged under a name.
type item struct {
	key  string
	text string  // of text and JSON
	v    float64 // NaN where it is not a number
}

// parseItem reads an item of history, configuration or statistics, whose value is JSON
// or, in newer versions, stands by itself.
func parseItem(data []byte) item {
	it := item{v: math.NaN()}
	fields(data, func(n protowire.Number, f field) {
		switch {
		case n == itemKey && len(f.bytes) > 0:
			it.key = string(f.bytes)
		case n == itemNested && f.kind == protowire.BytesType:
			if it.key != "" {
				it.key += "."
			}
			it.key += string(f.bytes)
		case n == itemInteger && f.kind == protowire.VarintType:
			it.v = float64(protowire.DecodeZigZag(f.bits))
		case n == itemNumber && f.kind == protowire.Fixed64Type:
			it.v = math.Float64frombits(f.bits)
		case n == itemText && f.kind == protowire.BytesType:
			it.text = string(f.bytes)
		case n == itemJSON && f.kind == protowire.BytesType:
			it.json(f.bytes)
		}
	})
	return it
}

// json takes a value as JSON.
func (it *item) json(text []byte) {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return
	}
	switch v := v.(type) {
	case float64:
		it.v, it.text = v, strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		it.text = v
	}
}

// timestamp reads a google.protobuf.Timestamp, in seconds since 1970.
func timestamp(data []byte) (seconds float64) {
	fields(data, func(n protowire.Number, f field) {
		switch {
		case f.kind != protowire.VarintType:
		case n == timeSeconds:
			seconds += float64(int64(f.bits))
		case n == timeNanos:
			seconds += float64(int64(f.bits)) / 1e9
		}
	})
	return seconds
}
