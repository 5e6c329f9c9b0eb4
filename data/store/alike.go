package store

import (
	"context"
	"slices"

	"sweetspot/engine/profile"
)

// nameOf is the name of the model that a run is of: the given one, unless other runs of that
// name are of another network or take other input. Then what differs is added to it, since
// times of different work must not be mixed. self is the run itself, 0 for a new one.
func nameOf(ctx context.Context, tx *transaction, name string, w profile.Work, self int64) (string, error) {
	name = clean(name)
	if w.Network = clean(w.Network); w.Network == "" {
		return name, nil
	}
	w.Input = clean(w.Input)
	others, err := worksOf(ctx, tx, name, self)
	if err != nil || !slices.ContainsFunc(others, w.Differs) {
		return name, err
	}
	beside := w.NameBeside(name, others)
	if others, err = worksOf(ctx, tx, beside, self); err != nil || !slices.ContainsFunc(others, w.Differs) {
		return beside, err
	}
	return w.FullName(name), nil
}

// worksOf is what the runs of a model's name but one tell of their networks.
func worksOf(ctx context.Context, tx *transaction, name string, but int64) ([]profile.Work, error) {
	return all[profile.Work](ctx, tx, `
		SELECT DISTINCT r.network, r.input, iif(v.pruned, NULL, r.params) AS params
		FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id
		WHERE m.name = ? AND r.id <> ? AND r.network <> ''`, name, but)
}
