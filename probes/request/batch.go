package request

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// batchWord stands for the batch size in a command.
const batchWord = "{batch}"

// batchFlags are the usual names of a script's flag for its batch size, the more
// precise ones first.
var batchFlags = []string{"--per_device_train_batch_size", "--per-device-train-batch-size", "--train_batch_size",
	"--train-batch-size", "--batch_size", "--batch-size", "--batchsize", "--batch"}

// mostOfScript is how much of a script is searched for its flag, in bytes.
const mostOfScript = 1 << 20

func (r Request) namesBatch() bool {
	return slices.ContainsFunc(r.Command, func(w string) bool { return strings.Contains(w, batchWord) })
}

// takesBatch reports whether the command can be given a batch size.
func (r Request) takesBatch() bool { return r.namesBatch() || r.batchFlag() != "" }

// batchFlag is the flag by which the script of the command takes a batch size, as its text has it in
// quotes; "" where it has none, or the command gives it already.
func (r Request) batchFlag() string {
	at := scriptAt(r.Command)
	if at < 0 {
		return ""
	}
	path := r.Command[at]
	if r.Folder != "" && !filepath.IsAbs(path) {
		path = filepath.Join(r.Folder, path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostOfScript {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for _, flag := range batchFlags {
		if !strings.Contains(string(text), `"`+flag+`"`) && !strings.Contains(string(text), "'"+flag+"'") {
			continue
		}
		given := func(w string) bool { return w == flag || strings.HasPrefix(w, flag+"=") }
		if slices.ContainsFunc(r.Command[at:], given) {
			return ""
		}
		return flag
	}
	return ""
}

// batched is the command with a batch size; 0 leaves it as it is.
func (r Request) batched(size int) []string {
	if size == 0 {
		return r.Command
	}
	words := slices.Clone(r.Command)
	if !r.namesBatch() {
		return append(words, r.batchFlag()+"="+strconv.Itoa(size))
	}
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, batchWord, strconv.Itoa(size))
	}
	return words
}
