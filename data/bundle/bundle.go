// Package bundle is the form in which databases exchange runs, picks and prices: files that are
// written once and never changed, in a folder that several databases share. A bundle is gzipped
// JSON Lines: a header, items, and after an item the rows that were recorded of it. Its name
// holds the database that wrote it, a number, and the SHA-256 of its bytes, so a file that is
// cut off or damaged does not fit its name.
//
// What can be changed of an item is in registers. Each has a stamp, and of two values of a
// register the one of the greater [Register.Version] holds: in whatever order bundles are read,
// and however often, the same is left in the end.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Format is the number of this form.
const Format = 1

// Limits on what is read, far above what is written.
const (
	MaxBytes    = 512 << 20 // of a bundle
	MaxUnpacked = 8 << 30   // of its lines together
	MaxBundles  = 200_000   // in a folder
	maxText     = 1 << 20   // of a name, a note or a mark
)

// maxLine bounds a line, in bytes. Only tests take another bound.
var maxLine = 64 << 20

// Kind is what an item is of.
type Kind string

// The kinds of items.
const (
	Run    Kind = "run"
	Pick   Kind = "pick"
	Model  Kind = "model"
	VMType Kind = "vm_type"
	Price  Kind = "price"
)

// Names of registers.
const (
	Name  = "name"  // of a run: [model, variant]
	Note  = "note"  // text
	Kept  = "kept"  // false: deleted
	Value = "value" // of a model, a VM type or a price: all that it is
)

// registers are those that an item of a kind may have.
var registers = map[Kind][]string{Run: {Name, Note, Kept}, Pick: {Note, Kept}, Model: {Value}, VMType: {Value},
	Price: {Value}}

// Header is the first line of a bundle.
type Header struct {
	Sweetspot string `json:"sweetspot"` // "bundle"
	Format    int    `json:"format"`
	Layout    int    `json:"layout"`   // of the database that wrote it
	Database  string `json:"database"` // its identity
}

// Item is a line about one run, pick, model, VM type or price.
type Item struct {
	Kind      Kind                `json:"kind"`
	Mark      string              `json:"mark"` // by which it is known in any database
	Registers map[string]Register `json:"registers,omitempty"`
	Content   *Content            `json:"content,omitempty"` // what was measured or picked; rows follow
}

// Register is something of an item that can be changed.
type Register struct {
	Stamp string          `json:"stamp"` // when, see [Stamp]; "" is before all others
	Value json.RawMessage `json:"value"`
}

// Version orders the values of a register: by their stamps, and where two databases have the
// same stamp, by the values themselves.
func (r Register) Version() string {
	if string(r.Value) == "true" || string(r.Value) == "false" {
		return r.Stamp + " " + string(r.Value) // rather kept than not
	}
	sum := sha256.Sum256(r.Value)
	return r.Stamp + " " + hex.EncodeToString(sum[:8])
}

// ContentVersion orders what was measured of a run: by its stamp, and of two with the same one,
// the one that tells more holds.
func ContentVersion(stamp string, size int, digest string) string {
	return fmt.Sprintf("%s %08x/%s", stamp, size, digest[:16])
}

// Stamp is the stamp of its version.
func (c *Content) Stamp() string { return c.Version[:max(0, strings.IndexByte(c.Version, ' '))] }

// valid reports whether its version is one.
func (c *Content) valid() bool {
	stamp, rest, ok := strings.Cut(c.Version, " ")
	return ok && stampForm.MatchString(stamp) && contentForm.MatchString(rest)
}

// Content is what was measured of a run or makes up a pick, without what has its default.
type Content struct {
	Version string         `json:"version"`
	Columns map[string]any `json:"columns"`
	Variant map[string]any `json:"variant,omitempty"`
	Machine map[string]any `json:"machine,omitempty"`
	Series  string         `json:"series,omitempty"` // mark of the first run of its matrix
}

// Rows are a line of rows that were recorded of the run before them.
type Rows struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// A Line is either an item or rows.
type Line struct {
	*Item
	*Rows
}

// A stamp is a moment that all databases agree on the order of: milliseconds since 1970, a
// number that counts within them, and the database, which decides between two at once. A plus
// is a change that the program made by itself.
var (
	stampForm    = regexp.MustCompile(`^([0-9a-e][0-9a-f]{15}-[0-9a-z]{1,32})?\+{0,4}$`)
	databaseForm = regexp.MustCompile(`^[0-9a-z]{1,32}$`)
	contentForm  = regexp.MustCompile(`^[0-9a-f]{8,16}/[0-9a-f]{16}$`)
)

// Stamp writes a moment.
func Stamp(ms int64, count uint16, database string) string {
	return fmt.Sprintf("%012x%04x-%s", ms, count, database)
}

// ParseStamp reads what [Stamp] wrote; zeros of anything else.
func ParseStamp(stamp string) (ms int64, count uint16) {
	if len(stamp) < 16 || !stampForm.MatchString(stamp) {
		return 0, 0
	}
	_, _ = fmt.Sscanf(stamp[:16], "%12x%4x", &ms, &count) // of this form it can
	return ms, count
}

// nameForm is a bundle's name: database, number, and the beginning of its SHA-256.
var nameForm = regexp.MustCompile(`^[0-9a-z]{1,32}-[0-9]{1,10}-([0-9a-f]{32})\.bundle$`)

// FileName is the name of a bundle's file.
func FileName(database string, number int64, content []byte) string {
	return fmt.Sprintf("%s-%06d-%s.bundle", database, number, digest(content))
}

// IsName reports whether a file is a bundle by its name.
func IsName(name string) bool { return nameForm.MatchString(name) }

// Fits reports whether the bytes are those that the name was given to.
func Fits(name string, content []byte) bool {
	parts := nameForm.FindStringSubmatch(name)
	return parts != nil && parts[1] == digest(content)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// short names a bundle in a sentence.
func short(name string) string {
	if parts := strings.SplitN(name, "-", 3); len(parts) == 3 && IsName(name) {
		return parts[0] + "-" + parts[1]
	}
	return name
}

// Error says in one sentence what is wrong with a bundle and what to do.
type Error struct{ Bundle, What, Mend string }

func (e *Error) Error() string {
	return fmt.Sprintf("bundle %s was left out: %s; %s", short(e.Bundle), e.What, e.Mend)
}

// RegistersOf are the names of the registers that items of a kind have.
func RegistersOf(kind Kind) []string { return registers[kind] }
