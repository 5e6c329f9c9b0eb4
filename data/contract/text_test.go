package contract

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var pickedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("elsewhere", 3600))

func TestCSVReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := rankingOf(hostileResult(t), nil, pickedAt).Candidates
		var b bytes.Buffer
		if err := WriteCSV(&b, candidates); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != len(candidates)+1 {
			t.Fatalf("%d rows of %d candidates: %v", len(rows), len(candidates), err)
		}
		for k, c := range candidates {
			row := map[string]string{}
			for i, name := range rows[0] {
				cell := rows[k+1][i]
				row[name] = cell
				if _, err := strconv.ParseFloat(cell, 64); err != nil && name != "sources" && cell != "" &&
					strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
					t.Fatalf("%s holds %q, which a spreadsheet may calculate", name, cell)
				}
			}
			if got := strings.TrimPrefix(row["model"], "'"); got != strings.TrimPrefix(c.Model, "'") {
				t.Fatalf("model %q came back as %q", c.Model, got)
			}
			if v, err := strconv.ParseFloat(row["time_s"], 64); (err == nil) != (c.Time.S != nil) ||
				err == nil && v != *c.Time.S {
				t.Fatalf("time %q of %v", row["time_s"], c.Time)
			}
			if row["feasible"] != strconv.FormatBool(c.Feasible) || (row["rank"] == "") != (c.Rank == nil) {
				t.Fatalf("feasible %q, rank %q of %+v", row["feasible"], row["rank"], c)
			}
		}
	})
}

func TestSpreadsheetSafe(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "p2.xlarge": "p2.xlarge", "-1.5": "-1.5", "+3": "+3",
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-2+3": "'-2+3",
		"@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1",
	} {
		if got := spreadsheetSafe(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestPartInWords(t *testing.T) {
	for want, p := range map[string]Part{
		"1× c5.large (no GPU), aws us-east-1": {Count: 1, InstanceType: new("c5.large"), GPUCount: new(0), Cloud: new("aws"),
			Region: new("us-east-1")},
		"2× g3.8xlarge (2× M60), aws": {Count: 2, InstanceType: new("g3.8xlarge"), GPU: new("M60"), GPUCount: new(2),
			Cloud: new("aws")},
		"1× x (3 GPUs), lab": {Count: 1, InstanceType: new("x"), GPUCount: new(3), Cloud: new("lab")},
		"1× desk (1× T4)":    {Count: 1, Host: new("desk"), GPU: new("T4"), GPUCount: new(1)},
	} {
		if got := p.Words(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
