package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Columns is the layout of a catalog CSV, one row per price; columns are found
// by name, in any order, and others are ignored. An empty cell is unknown; a
// row with neither purchase nor usd_per_hour names a VM type whose price is not
// known. gpu_mem_gib is per GPU, mem_gib and vcpus per VM.
var Columns = []string{
	"cloud", "region", "instance_type", "gpu", "gpu_count", "gpu_mem_gib", "vcpus", "mem_gib",
	"purchase", "usd_per_hour", "source", "as_of",
}

// required columns must be in the header; the others are optional.
var required = []string{"cloud", "instance_type", "gpu", "gpu_count", "purchase", "usd_per_hour"}

// Read reads a catalog CSV in the layout of [Columns]. Rows of one VM type
// must agree about it. The result is ordered as [profile.SortVMTypes] does.
func Read(r io.Reader) ([]profile.VMType, error) {
	t := NewTable(r)
	if err := t.Header("a catalog", ""); err != nil {
		return nil, err
	}
	return ReadRows(t)
}

// IsCatalog reports whether a table's header is that of a catalog CSV.
func IsCatalog(t *textfile.Table) bool { return t.Has(required...) }

// ReadRows is [Read] after the header.
func ReadRows(t *textfile.Table) ([]profile.VMType, error) {
	if !IsCatalog(t) {
		return nil, &textfile.Error{Row: 1, What: "a catalog starts with the columns " + strings.Join(Columns, ",")}
	}
	var vms []profile.VMType
	at := map[profile.VMKey]int{}
	err := t.Each(func() error {
		vm := vmType(t)
		i, seen := at[vm.Key()]
		switch {
		case !seen:
			at[vm.Key()] = len(vms)
			vms = append(vms, vm)
		case !sameMachine(vms[i], vm):
			return t.Wrong("%s differs from an earlier row in more than its price", vm.InstanceType)
		default:
			vms[i].Prices = append(vms[i].Prices, vm.Prices...)
		}
		return nil
	})
	profile.SortVMTypes(vms)
	return vms, err
}

func vmType(t *textfile.Table) profile.VMType {
	cloud, _ := CloudName(t.Text("cloud"))
	vm := profile.VMType{Cloud: cloud, Region: t.Text("region"), InstanceType: t.Text("instance_type")}
	if vm.InstanceType == "" {
		_ = t.Fail("instance_type", "is empty")
	}
	vm.GPUMemGiB, vm.VCPUs, vm.MemGiB = figure(t, "gpu_mem_gib"), figure(t, "vcpus"), figure(t, "mem_gib")
	vm.GPU = GPUName(t.Text("gpu"), vm.GPUMemGiB, vm.Cloud, vm.InstanceType)
	n, ok := textfile.Decimal(strings.TrimSpace(t.Raw("gpu_count")))
	if !ok || n != float64(int(n)) || n < 0 || n > MaxGPUs || (n == 0) != (vm.GPU == "") {
		_ = t.Fail("gpu_count", "%s does not match GPU %s; give the number of GPUs, or 0 and no name if there are none",
			plaintext.Quote(t.Text("gpu_count")), plaintext.Quote(t.Text("gpu")))
	}
	vm.GPUCount = int(n)
	if p, known := price(t); known {
		vm.Prices = []profile.Price{p}
	}
	return vm
}

// MaxGPUs bounds the GPUs of one VM type: more is a mistake.
const MaxGPUs = 1024

func price(t *textfile.Table) (p profile.Price, known bool) {
	usd := figure(t, "usd_per_hour")
	p = profile.Price{Purchase: profile.Purchase(strings.ToLower(t.Text("purchase"))), Source: t.Text("source"),
		AsOf: t.Text("as_of")}
	switch {
	case usd == nil && p.Purchase == "":
		return p, false
	case usd == nil:
		_ = t.Fail("usd_per_hour", "is empty next to a purchase option")
		return p, false
	case *usd > MaxUSD:
		_ = t.Fail("usd_per_hour", "%g is above %g dollars an hour", *usd, float64(MaxUSD))
	case !slices.Contains(profile.Purchases, p.Purchase):
		_ = t.Fail("purchase", "%s is not one of %v", plaintext.Quote(string(p.Purchase)), profile.Purchases)
	case p.AsOf != "" && !IsDate(p.AsOf):
		_ = t.Fail("as_of", "%s", plaintext.Quote(p.AsOf)+" is not a date; write 2026-02-28, 2026-02 or 2026")
	}
	p.USDPerHour = *usd
	return p, true
}

func sameMachine(a, b profile.VMType) bool {
	same := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return a.GPU == b.GPU && a.GPUCount == b.GPUCount && same(a.GPUMemGiB, b.GPUMemGiB) &&
		same(a.VCPUs, b.VCPUs) && same(a.MemGiB, b.MemGiB)
}

// Files are the user's two catalogs: the imported one, which only imports
// write, and the user's own, which is never written to.
type Files struct{ Imported, Own string }

// FilesIn returns the files of a folder, which need not exist.
func FilesIn(folder string) Files {
	return Files{Imported: filepath.Join(folder, "catalog.csv"), Own: filepath.Join(folder, "catalog-own.csv")}
}

// Joined is the catalog that all commands use: the user's own, then the
// imported, then the built-in one.
func (f Files) Joined() ([]profile.VMType, error) {
	own, err := ReadFile(f.Own)
	if err != nil {
		return nil, err
	}
	imported, err := ReadFile(f.Imported)
	if err != nil {
		return nil, err
	}
	return Join(own, imported, Market()), nil
}

// ReadFile reads a catalog CSV; a missing file is empty.
func ReadFile(path string) ([]profile.VMType, error) {
	file, err := textfile.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the catalog cannot be read: %w", err)
	}
	defer file.Close()
	vms, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s, %w; correct the file or move it away", plaintext.Clean(path), err)
	}
	return vms, nil
}

// Keep adds an import to the earlier ones, if these can be read. The file is
// replaced atomically.
func (f Files) Keep(imported []profile.VMType) error {
	earlier, err := ReadFile(f.Imported)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := Write(&text, Update(earlier, imported)); err != nil {
		return err
	}
	if _, err := Read(bytes.NewReader(text.Bytes())); err != nil {
		return fmt.Errorf("the catalog was not changed, because the result would be invalid: %w", err)
	}
	return replace(f.Imported, text.Bytes())
}

func replace(path string, text []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("the catalog was not changed: %w", err)
	}
	return os.Rename(file.Name(), path)
}
