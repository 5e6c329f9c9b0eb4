package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestPicks(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	p := Pick{
		Name: "cheap\x1b[2J", CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Query: json.RawMessage(`{"model":"CaffeNet"}`),
		Candidate: json.RawMessage(
			`{"model":"CaffeNet","mode":"infer","batch_size":300,"epochs":null,"units":1e6,"purchase":"spot",` +
				`"configuration":[{"cloud":"aws","instance_type":"g3.4xlarge","count":2}],"time":{"s":60.5,"basis":"published"},"cost":{"usd":0.5},"accuracy":null}`),
	}
	id, err := s.SavePick(ctx, p)
	must(t, err)
	picks, err := s.Picks(ctx)
	must(t, err)
	p.ID, p.Name = id, "cheap"
	if len(picks) != 1 || !reflect.DeepEqual(picks[0], p) {
		t.Errorf("got %+v, want %+v", picks, p)
	}
	var vm string
	var count int
	var seconds, usd float64
	var accuracy, epochs *float64
	must(t, s.read.QueryRow("SELECT instance_type, count, time_s, cost_usd, accuracy, epochs FROM picks").Scan(&vm, &count,
		&seconds, &usd, &accuracy, &epochs))
	if vm != "g3.4xlarge" || count != 2 || seconds != 60.5 || usd != 0.5 || accuracy != nil || epochs != nil {
		t.Errorf("columns %s %d %g %g %v %v", vm, count, seconds, usd, accuracy, epochs)
	}
	for _, broken := range []Pick{{Query: json.RawMessage(`{}`), Candidate: json.RawMessage(`{`)},
		{Query: json.RawMessage(`{`), Candidate: json.RawMessage(`{}`)}} {
		if _, err := s.SavePick(ctx, broken); err == nil {
			t.Errorf("broken JSON was saved: %s and %s", broken.Query, broken.Candidate)
		}
	}
}

// The plain columns of a pick are for people: they name all VMs, and the host of a
// machine of one's own.
func TestPlainColumnsOfPicks(t *testing.T) {
	for configuration, want := range map[string]string{
		`[]`: `["","","",null]`,
		`[{"cloud":"aws","region":"eu","instance_type":"g3.4xlarge","count":3}]`:               `["aws","eu","g3.4xlarge",3]`,
		`[{"cloud":null,"region":null,"instance_type":null,"host":"b\u001b[31mox","count":1}]`: `["","","box",1]`,
		`[{"instance_type":"g3.4xlarge","count":2,"cloud":"aws"},{"instance_type":"","host":"box","count":1}]`: `["","",` +
			`"2x g3.4xlarge + 1x box",null]`,
	} {
		s := openTemp(t)
		_, err := s.SavePick(t.Context(), Pick{Query: json.RawMessage(`{}`), Candidate: json.RawMessage(
			`{"model":"a\u0007b","accuracy":{"metric":"top-1","value":0.5},"configuration":` + configuration + `}`)})
		must(t, err)
		got := rowsIn(t, s, "SELECT json_array(cloud, region, instance_type, count), model, variant, metric, accuracy FROM picks")
		if row := fmt.Sprintf("%#v", []any{want, "ab", "", "top-1", 0.5}); got[0] != row {
			t.Errorf("of %s:\n%s, want\n%s", configuration, got[0], row)
		}
	}
}
