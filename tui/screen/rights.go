package screen

import (
	"context"
	"errors"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/data/store"
	"sweetspot/tui/keys"
)

// Rights are what the person at the screens may do beside looking. Whoever starts the
// program for themselves has all of them; a server gives its guests what its owner
// allows.
type Rights uint8

// The rights, each a bit.
const (
	Picking Rights = 1 << iota // saving picks
	Editing                    // renaming, annotating, deleting and restoring runs and picks
	Probing                    // running commands where the program runs
	Filing                     // reading and writing files there: databases, traces, imports, exports

	AllRights = Picking | Editing | Probing | Filing
)

// rightNames are the words of a flag, in the order of the rights.
var rightNames = []string{"picks", "edits", "probes", "files"}

// Names are the words, in the order of the rights; none is an empty list.
func (r Rights) Names() []string {
	words := []string{}
	for k, name := range rightNames {
		if r&(1<<k) != 0 {
			words = append(words, name)
		}
	}
	return words
}

// ParseRights reads words with commas between them.
func ParseRights(words string) (r Rights, err error) {
next:
	for word := range strings.SplitSeq(words, ",") {
		word = strings.TrimSpace(word)
		for k, name := range rightNames {
			if word == name {
				r |= 1 << k
				continue next
			}
		}
		if word != "" {
			return 0, errors.New("give any of " + strings.Join(rightNames, ", ") + ", with commas between")
		}
	}
	return r, nil
}

// needs are the rights that an action takes on any screen.
var needs = map[keys.Action]Rights{
	keys.Pick: Picking, keys.Delete: Editing, keys.Rename: Editing, keys.Annotate: Editing, keys.NextProbe: Probing,
	keys.ProbeThis: Probing, keys.Open: Filing, keys.Backup: Filing, keys.Import: Filing | Editing,
	keys.Merge: Filing | Editing,
}

// Forbid is why something cannot be done by somebody who is denied these rights, "" where
// it needs none of them.
func (r Rights) Forbid(needed Rights) string {
	missing := needed & r
	if missing == 0 {
		return ""
	}
	return "the owner of this server allows no " + strings.Join(missing.Names(), " and no ") +
		"; sweetspot serve --allow " + strings.Join(missing.Names(), ",") + " would"
}

// ForbidAction is [Rights.Forbid] of an action on a screen, in a region of keys.
func (r Rights) ForbidAction(a, on keys.Action, region string) string {
	switch {
	case on == keys.Traffic && (a == keys.Delete || a == keys.Rename): // these change a question
		return ""
	case a == keys.Undo && on == keys.Library: // elsewhere it takes back a question
		return r.Forbid(Editing)
	case a == keys.Enter && region == keys.InStart:
		return r.Forbid(Probing)
	case a == keys.Enter && strings.HasPrefix(region, keys.InExport):
		return r.Forbid(Filing)
	}
	return r.Forbid(needs[a])
}

// Without lets a workspace be changed only as somebody may who is denied rights.
func Without(denied Rights, ws Workspace) Workspace {
	if denied == 0 {
		return ws
	}
	return &guarded{ws, denied}
}

// guarded refuses what somebody is denied.
type guarded struct {
	Workspace
	denied Rights
}

func (g *guarded) may(needed Rights) error {
	if why := g.denied.Forbid(needed); why != "" {
		return errors.New(why)
	}
	return nil
}

func (g *guarded) SavePick(ctx context.Context, p contract.Pick) error {
	if err := g.may(Picking); err != nil {
		return err
	}
	return g.Workspace.SavePick(ctx, p)
}

func (g *guarded) Rename(ctx context.Context, to []store.RunName) ([]store.RunName, error) {
	if err := g.may(Editing); err != nil {
		return nil, err
	}
	return g.Workspace.Rename(ctx, to)
}

func (g *guarded) Annotate(ctx context.Context, of store.Table, id int64, note string) (string, error) {
	if err := g.may(Editing); err != nil {
		return "", err
	}
	return g.Workspace.Annotate(ctx, of, id, note)
}

func (g *guarded) Delete(ctx context.Context, of store.Table, ids ...int64) (int64, error) {
	if err := g.may(Editing); err != nil {
		return 0, err
	}
	return g.Workspace.Delete(ctx, of, ids...)
}

func (g *guarded) Undelete(ctx context.Context, deletion int64) (store.Restored, error) {
	if err := g.may(Editing); err != nil {
		return store.Restored{}, err
	}
	return g.Workspace.Undelete(ctx, deletion)
}

func (g *guarded) Merge(ctx context.Context, path string) (store.Merged, error) {
	if err := g.may(Filing | Editing); err != nil {
		return store.Merged{}, err
	}
	return g.Workspace.Merge(ctx, path)
}

func (g *guarded) Backup(ctx context.Context, path string) (int64, error) {
	if err := g.may(Filing); err != nil {
		return 0, err
	}
	return g.Workspace.Backup(ctx, path)
}

func (g *guarded) Import(ctx context.Context, found imports.Found, o imports.Options,
	taken func(intake.File)) (intake.Result, error) {
	if err := g.may(Filing | Editing); err != nil {
		return intake.Result{}, err
	}
	return g.Workspace.Import(ctx, found, o, taken)
}
