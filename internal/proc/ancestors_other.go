//go:build !linux

package proc

// FromAncestors tells nothing here: no file system shows the environments of other processes.
func FromAncestors(string) []string { return nil }
