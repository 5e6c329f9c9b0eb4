package pareto

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// share calls work once for every number below n, on as many goroutines as pay,
// and returns when all calls have.
func share(n int, work func(i int)) {
	hands := min(n, runtime.GOMAXPROCS(0))
	if hands < 2 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range hands {
		done.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	done.Wait()
}

// chunks is into how many stretches n points are cut to be shared out.
func (t tuning) chunks(n int) int {
	if n <= t.alone {
		return 1
	}
	return 8
}

// chunk is the i-th of the stretches of n points.
func chunk(n, i, chunks int) (from, to int) { return n * i / chunks, n * (i + 1) / chunks }
