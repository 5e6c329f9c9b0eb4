package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/data/imports/wide"
	"sweetspot/data/intake"
	"sweetspot/data/workspace"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// importFlags are the flags of the import subcommand.
type importFlags struct {
	format, mapping, vm string
	prices              []string
	given               source.Given
}

func newImportCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILES|FOLDERS…",
		Short: "Import runs from logs and tables of other programs",
		Long: "import reads existing measurements: Profile CSV and the JSON of export --runs, timm's benchmarks\n" +
			"with its results, MLPerf logs (MLLOG), Triton's perf_analyzer and Model Analyzer, Hugging Face's\n" +
			"trainer_state.json and optimum-benchmark, results of vLLM's serving benchmark, guidellm, AIPerf and\n" +
			"GenAI-Perf, CSV of Lightning and Keras, TensorBoard events, MLflow's\n" +
			"mlruns and database, logs and CSV of Weights & Biases, traces of Zeus, entries of DAWNBench, and\n" +
			"any table with a mapping of its columns. The format is recognised by content.\n" +
			"Files that belong together are imported together. What a file does not say stays unknown; flags can\n" +
			"fill it in. Importing a file again adds nothing.",
		Example: "  sweetspot import benchmark-infer-amp-rtx4090.csv results-imagenet.csv --price rtx4090=0.34\n" +
			"  sweetspot import lightning_logs --gpu T4 --epoch-time 42s\n" +
			"  sweetspot import runs/ --vm p3.2xlarge --db mine.db --json\n  sweetspot import table.csv --mapping " +
			"columns.yaml\n" +
			"  sweetspot import bench.csv --mapping '{mode: infer, model: net, batch_size: bs, times: {images_per_s: {unit: " +
			"units/s}}}'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("give the files or folders to import")
			}
			return f.parse()
		},
		RunE: f.run,
	}
	f.register(cmd)
	return cmd
}

func (f *importFlags) register(cmd *cobra.Command) {
	fl, g := cmd.Flags(), &f.given
	fl.StringVar(&f.format, "format", "auto", "format of all files; auto recognises it by content")
	fl.StringVar(&f.mapping,
		"mapping", "", "which column of a table is what, as YAML or JSON: a file, or the text itself in "+
			"braces; for a table of an unknown format import says the likely one")
	fl.StringVar(&g.Model, "model", "", "model of files that do not name one, or a name to use instead")
	fl.StringVar(&g.Dataset, "dataset", "", "dataset of files that do not name one")
	fl.StringVar(&g.Unit, "unit", "", "unit of work of files that do not name one: image, token")
	fl.StringVar(&g.Precision, "precision", "", "precision of files that do not name one: fp32, bf16")
	fl.IntVar(&g.BatchSize, "batch", 0, "batch size of files that do not state one (training: over all GPUs; "+
		"inference: per GPU)")
	fl.StringVar(&g.GPU, "gpu", "", "name of the GPU for files that do not name one")
	fl.IntVar(&g.GPUCount, "gpu-count", 0, "number of GPUs for files that do not state it")
	fl.StringVar(&f.vm, "vm", "", "the VM type in the catalog that the runs used")
	fl.StringArrayVar(&f.prices, "price", nil, "price of the machine in $ per hour for files that do not state one: "+
		"0.34, or by GPU, rtx4090=0.34")
	fl.Var(optional(&g.EpochS, quantity.ParseDuration), "epoch-time",
		"how long an epoch took (42s), for logs without times")
}

func (f *importFlags) parse() error {
	if f.format != "auto" {
		if _, err := imports.Find(f.format); err != nil {
			return usageError("--format: %w", err)
		}
	}
	for _, n := range []struct {
		name string
		is   int
	}{{"batch", f.given.BatchSize}, {"gpu-count", f.given.GPUCount}} {
		if n.is < 0 || n.is > 1<<30 {
			return usageError("--%s %d: give a number of at least 1", n.name, n.is)
		}
	}
	for _, s := range []*string{&f.given.Model, &f.given.Dataset, &f.given.Unit, &f.given.Precision, &f.given.GPU} {
		*s = source.Text(*s)
	}
	if f.mapping != "" && f.format != "auto" && !strings.EqualFold(f.format, wide.Format.Name) {
		return usageError("--mapping maps the columns of a table, but --format %s has columns of its own", f.format)
	}
	var err error
	if f.given.Prices, err = profile.ParsePrices(f.prices); err != nil {
		return usageError("--price: %w", err)
	}
	return nil
}

func (f *importFlags) run(cmd *cobra.Command, args []string) (err error) {
	outliveReaders() // a file whose result nobody reads is imported as well
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if f.mapping != "" {
		if f.given.Mapping, err = readMapping(f.mapping); err != nil {
			return err
		}
	}
	found, err := imports.Files(args)
	if err != nil {
		return err
	}
	if len(found.Files) == 0 {
		return errors.New("the given paths contain no files")
	}
	w, err := opened(ctx, cmd, database(cmd), workspace.OpenFor)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if f.vm != "" {
		set, err := w.Load(ctx)
		if err != nil {
			return err
		}
		vm, err := profile.FindVMType(set.VMTypes, f.vm)
		if err != nil {
			return usageError("--vm: %w", err)
		}
		f.given.VM = &vm
	}
	live := &liveLine{w: cmd.ErrOrStderr(), on: len(found.Files) > 1 && !wantsJSON(cmd) && term.IsTerminal(os.Stderr.Fd())}
	i := &importing{out: cmd.OutOrStdout(), live: live, json: wantsJSON(cmd), prices: f.given.Prices}
	r, err := w.Import(ctx, found, imports.Options{Format: f.format, Given: f.given, Progress: i.progress}, i.taken)
	live.clear()
	return errors.Join(i.summary(r, w.Store().Path(), cmd.ErrOrStderr()), err, i.lost, r.Failure())
}

// readMapping reads a mapping that the flag holds itself, in braces, or names the
// file of.
func readMapping(flag string) (*source.Mapping, error) {
	if strings.HasPrefix(strings.TrimSpace(flag), "{") {
		return wide.ParseMapping(source.File{Path: "--mapping"}, []byte(flag))
	}
	return wide.ReadMapping(imports.File(flag))
}

// importing reports files as they are done.
type importing struct {
	out              io.Writer
	live             *liveLine
	json             bool
	prices           profile.Prices
	imported         int
	lastDone, redraw int
	lost             error // of writing to out
}

// progress draws the progress line, at most a hundred times.
func (i *importing) progress(done, all int) {
	if i.redraw = max(1, all/100); done != all && done < i.lastDone+i.redraw {
		return
	}
	i.lastDone = done
	const cells = 30
	bar := make([]rune, cells)
	for k := range bar {
		bar[k] = '·'
		if k < done*cells/max(all, 1) {
			bar[k] = '█'
		}
	}
	i.live.say(fmt.Sprintf("%s %s of %s · %s", string(bar), quantity.Count(float64(done)), quantity.Several(all, "file"),
		quantity.Several(i.imported, "new run")))
}

// say shows text in the progress line.
func (l *liveLine) say(text string) {
	if !l.on {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = plaintext.Cut(text, 79)
	_, _ = io.WriteString(l.w, eraseLine+l.line) // a lost terminal must not end the import
}

func (i *importing) taken(f intake.File) {
	i.imported += f.Imported
	if i.json || f.Error != nil {
		return
	}
	i.live.aside(func() { i.lost = errors.Join(i.lost, writeImported(i.out, f)) })
}

// writeImported prints the line of a good file and its warnings.
func writeImported(out io.Writer, f intake.File) error {
	line := f.File + ": " + *f.Format
	if f.Runs > 0 {
		line += fmt.Sprintf(", %s, %s new", quantity.Several(f.Runs, "run"), quantity.Count(float64(f.Imported)))
	}
	_, err := fmt.Fprintln(out, line)
	for _, w := range f.Warnings {
		fmt.Fprintln(out, "  "+w)
	}
	return err
}

// importAnswer is the result of an import as JSON.
type importAnswer struct {
	contract.Head
	Database string        `json:"database"`
	RunCount int           `json:"run_count"` // in all files
	Runs     int           `json:"runs"`      // Deprecated: run_count
	Imported int           `json:"imported"`  // of these, new ones
	Files    []intake.File `json:"files"`
}

// summary prints the totals, and the bad files on standard error.
func (i *importing) summary(r intake.Result, path string, errOut io.Writer) error {
	var warnings []string
	for _, w := range i.prices.Unmatched(slices.Collect(maps.Keys(r.GPUs))) {
		warnings = append(warnings, "--price "+w)
	}
	if words := r.PassedOver(); words != "" {
		warnings = append(warnings, words)
	}
	if i.json {
		return printJSON(i.out, importAnswer{contract.NewHead("import", warnings...), path, r.Runs, r.Runs, r.Imported,
			append([]intake.File{}, r.Files...)})
	}
	warn(errOut, warnings...)
	if len(r.Files) > 1 { // a single one is the command's own error
		for _, b := range r.Bad {
			fmt.Fprintln(errOut, "sweetspot: "+*b.Error)
		}
	}
	if r.Runs == 0 {
		return nil
	}
	_, err := fmt.Fprintf(i.out, "%s, %s new, in %s\n", quantity.Several(r.Runs, "run"),
		quantity.Count(float64(r.Imported)), plaintext.Clean(path))
	return err
}
