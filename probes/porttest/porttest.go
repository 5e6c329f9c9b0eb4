// Package porttest finds a port for a server of a test.
package porttest

import (
	"net"
	"testing"
)

// Free is a TCP port of 127.0.0.1 on which nothing listens.
func Free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}
