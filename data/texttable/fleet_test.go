package texttable

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"sweetspot/data/contract"
)

// What the contract says of a fleet is all that its tables need.
func TestFleetGolden(t *testing.T) {
	data, err := os.ReadFile("../contract/testdata/fleet.json")
	if err != nil {
		t.Fatal(err)
	}
	var f contract.Fleet
	var b bytes.Buffer
	if err := errors.Join(json.Unmarshal(data, &f), Fleet(&b, f)); err != nil {
		t.Fatal(err)
	}
	golden(t, "fleet.txt", b.Bytes())
}
