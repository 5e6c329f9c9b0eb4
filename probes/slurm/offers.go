package slurm

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/probes/queue"
)

// node is a line of sinfo: a node in one of its partitions.
type node struct {
	name, state, partition string
	gpus                   []gres
	features               []string
}

// gres is GPUs of one type; the type is "" where Slurm was not told it.
type gres struct {
	kind  string
	count int
}

// Offers are the GPU types of the cluster. One without a type takes its name from the
// config file, or from its partition. It takes two commands, however many there are.
func (e *Engine) Offers(ctx context.Context) ([]queue.Offer, error) {
	if err := e.list(ctx); err != nil {
		return nil, err
	}
	e.expect(ctx)
	var all []queue.Offer
	for _, o := range e.offers {
		all = append(all, o.Offer)
	}
	return all, nil
}

// list asks which GPU types there are.
func (e *Engine) list(ctx context.Context) error {
	out, err := e.command(ctx, nil, "sinfo", "--noheader", "--Node", "--format=%N|%T|%R|%f|%G")
	if err != nil {
		return fmt.Errorf("the cluster's nodes can't be listed: %w", err)
	}
	e.offers = e.types(parseNodes(out))
	return nil
}

const (
	mostExpected  = 16               // GPU types whose start is asked for, each of which costs the controller a plan
	usualLimit    = 10 * time.Minute // of the job that is planned
	expectTimeout = 10 * time.Second
)

// expect asks Slurm when a job of each GPU type would start, in one command of a shell.
func (e *Engine) expect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, expectTimeout)
	defer cancel()
	asked := e.offers[:min(len(e.offers), mostExpected)]
	var script strings.Builder
	for _, o := range asked {
		words := e.asked(queue.Batch{Name: "sweetspot", Count: 1, Limit: usualLimit}, o, "/tmp")
		words = append(append([]string{"sbatch"}, words...), "--test-only", "--wrap=true")
		script.WriteString(`printf '%s\n' "$(` + shellwords.Join(words) + ` 2>&1 | tail -n 1)"` + "\n")
	}
	out, err := e.command(ctx, nil, "sh", "-c", script.String())
	if err != nil {
		return // what is there is known, only the wait is not
	}
	lines := strings.Split(out, "\n")
	for i := range asked {
		if i >= len(lines) {
			break
		}
		if asked[i].Starts, asked[i].NoStart = parseStart(lines[i]); asked[i].Starts.IsZero() && asked[i].Nodes == 0 {
			asked[i].NoStart = "its nodes are drained, down or reserved"
		}
	}
}

// startForm is in what sbatch --test-only says.
var startForm = regexp.MustCompile(`to start at (\S+) using`)

// parseStart reads the expected start, or else why there is none.
func parseStart(line string) (starts time.Time, why string) {
	if m := startForm.FindStringSubmatch(line); m != nil {
		return clock(m[1]), ""
	}
	why = strings.TrimPrefix(lastLine(line), "allocation failure: ")
	if why == "Requested node configuration is not available" {
		why = "no node or partition takes a job of " + quantity.Duration(usualLimit.Seconds())
	}
	return time.Time{}, why
}

// clock is a time of Slurm's, which is asked to write seconds since 1970: the login host
// may be in another time zone. Where it writes a date in spite of that, the time is not known.
func clock(text string) time.Time {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// types are the GPU types of the nodes, by name. That of nodes whose GPUs have no type
// is the one that the config file maps to their partition or to a feature of theirs,
// else the name of their smallest partition.
func (e *Engine) types(nodes []node) []offer {
	var all []offer
	size := map[string]int{}
	for _, n := range nodes {
		size[n.partition]++
	}
	smallest := map[string]string{}
	for _, n := range nodes {
		if p, ok := smallest[n.name]; !ok || size[n.partition] < size[p] {
			smallest[n.name] = n.partition
		}
	}
	seen := map[[2]string]bool{}
	for _, n := range nodes {
		for _, g := range n.gpus {
			o := offer{Offer: queue.Offer{GPU: g.kind}, gres: g.kind}
			if g.kind == "" {
				var ok bool
				if o, ok = e.mapped(n, smallest[n.name]); !ok {
					continue
				}
			}
			i := slices.IndexFunc(all, func(known offer) bool { return known.GPU == o.GPU })
			if i < 0 {
				given := e.options.GPUs[o.GPU]
				o.USDPerHour = given.USDPerHour
				if o.gres != "" {
					o.partition, o.constraint = given.Partition, given.Constraint
				}
				all, i = append(all, o), len(all)
			}
			known := &all[i]
			known.Count = max(known.Count, g.count)
			if !slices.Contains(known.Partitions, n.partition) {
				known.Partitions = append(known.Partitions, n.partition)
			}
			if at := [2]string{o.GPU, n.name}; !seen[at] && usable(n.state) {
				seen[at] = true
				known.Nodes++
			}
		}
	}
	slices.SortFunc(all, func(a, b offer) int { return strings.Compare(a.GPU, b.GPU) })
	return all
}

// mapped names the GPUs of a node that Slurm has no type for; false where another
// partition of the node does.
func (e *Engine) mapped(n node, smallest string) (offer, bool) {
	for name, g := range e.options.GPUs {
		byPartition := g.Partition != "" && g.Partition == n.partition
		byFeature := g.Partition == "" && g.Constraint != "" && slices.Contains(n.features, g.Constraint)
		if byPartition || byFeature {
			return offer{Offer: queue.Offer{GPU: name}, partition: g.Partition, constraint: g.Constraint}, true
		}
	}
	return offer{Offer: queue.Offer{GPU: n.partition}, partition: n.partition}, n.partition == smallest
}

func parseNodes(out string) (all []node) {
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 5)
		if len(f) < 5 {
			continue
		}
		n := node{name: plaintext.Clean(f[0]), state: f[1], partition: plaintext.Clean(f[2]),
			features: strings.Split(f[3], ",")}
		if n.gpus = parseGRES(f[4]); len(n.gpus) > 0 {
			all = append(all, n)
		}
	}
	return all
}

// gresForm is gpu:a100:2(S:0-1), gpu:2 or gpu. Types of MIG devices have dots.
var gresForm = regexp.MustCompile(`^gpu(?::([A-Za-z][\w.+-]*))?(?::(\d+))?(?:\(.*\))?$`)

// splitGRES cuts at commas outside brackets.
var splitGRES = regexp.MustCompile(`(?:[^,(]|\([^)]*\))+`)

func parseGRES(text string) (all []gres) {
	for _, word := range splitGRES.FindAllString(text, -1) {
		m := gresForm.FindStringSubmatch(word)
		if m == nil {
			continue
		}
		g := gres{m[1], 1}
		if m[2] != "" {
			g.count, _ = strconv.Atoi(m[2])
		}
		if g.count > 0 {
			all = append(all, g)
		}
	}
	return all
}

// usable reports whether jobs begin on a node in that state, now or later.
func usable(state string) bool {
	state = strings.ToLower(strings.TrimRight(state, "*~#!%$@+^-"))
	return !slices.Contains([]string{"down", "drained", "draining", "fail", "failing", "maint", "unknown", "error"}, state)
}
