package picker

import "strconv"

// bytes writes the size of a file: 812 B, 41 KiB, 2.3 GiB.
func bytes(n int64) string {
	v, unit := float64(n), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, next
	}
	digits := 0
	if unit != "B" && v < 10 {
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + unit
}
