// Package e2e holds the end-to-end tests: the built program in a real
// terminal, with real PyTorch and real database files, as a user meets it.
// What a machine lacks is skipped by name; with CI=true it is a failure.
package e2e
