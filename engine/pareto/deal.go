package pareto

// dealt are points in buckets of rising x: those of bucket b, by rising index,
// are items[ends[b-1]:ends[b]], keyed by x.
type dealt struct {
	items []item
	ends  []int
	// rest holds y and z of three objectives; items note their place in it.
	rest []rest
}

type rest struct{ y, z float64 }

// start is where bucket b begins.
func (d *dealt) start(b int) int {
	if b == 0 {
		return 0
	}
	return d.ends[b-1]
}

// deal makes items of the points that have a bucket.
func deal(t tuning, bucket []uint8, columns ...[]float64) *dealt {
	x := columns[0]
	chunks := t.chunks(len(x))
	counts := make([][buckets + 1]int, chunks)
	share(chunks, func(c int) {
		from, to := chunk(len(x), c, chunks)
		for _, b := range bucket[from:to] {
			counts[c][b]++
		}
	})
	d := new(dealt)
	sum := 0
	for b := 1; b <= buckets; b++ {
		for c := range counts {
			n := counts[c][b]
			counts[c][b] = sum
			sum += n
		}
		d.ends = append(d.ends, sum)
	}
	d.items = make([]item, sum)
	if len(columns) == 3 {
		d.rest = make([]rest, sum)
	}
	share(chunks, func(c int) {
		from, to := chunk(len(x), c, chunks)
		place := &counts[c]
		for i, b := range bucket[from:to] {
			if b == 0 {
				continue
			}
			i, at := from+i, place[b]
			place[b]++
			d.items[at] = item{key(x[i]), uint32(i), uint32(at)}
			if d.rest != nil {
				d.rest[at] = rest{columns[1][i], columns[2][i]}
			}
		}
	})
	return d
}

// each calls work once for every bucket, of few points one after the other.
func (d *dealt) each(t tuning, work func(b int)) {
	if t.chunks(len(d.items)) > 1 {
		share(len(d.ends), work)
		return
	}
	for b := range d.ends {
		work(b)
	}
}

// sift deals the points, without most of those that are dominated if there are
// many, and without those that hold a NaN.
func sift(t tuning, columns ...[]float64) *dealt {
	n := len(columns[0])
	chunks := t.chunks(n)
	bucket := make([]uint8, n)
	var s *sieve
	if n > t.alone {
		s = newSieve(t, columns...)
	}
	if s == nil {
		for i := range bucket {
			bucket[i] = uint8(one(known(i, columns...)))
		}
		return deal(t, bucket, columns...)
	}
	share(chunks, func(c int) {
		from, to := chunk(n, c, chunks)
		if len(columns) == 2 {
			s.sift2(bucket[from:to], columns[0][from:to], columns[1][from:to])
		} else {
			s.sift3(bucket[from:to], columns[0][from:to], columns[1][from:to], columns[2][from:to])
		}
	})
	return deal(t, bucket, columns...)
}
