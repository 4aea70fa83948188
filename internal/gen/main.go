package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run .

// top is the module's folder, seen from this package: `go generate` and `go test` both run here.
const top = "../.."

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "openapi" {
		return cutOpenAPI(args[1])
	}
	all, err := documents()
	if err != nil {
		return err
	}
	for name, text := range all {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// documents are all generated files by their path below the module, slash-separated.
func documents() (map[string][]byte, error) {
	faults, err := faultsPage()
	if err != nil {
		return nil, err
	}
	files, err := pluginFiles()
	if err != nil {
		return nil, err
	}
	files["docs/phases.md"] = phasesPage()
	files["docs/checks.md"] = checksPage()
	files["docs/faults.md"] = faults
	return files, nil
}

// warning is the first line of every generated document.
func warning(source string) string {
	return fmt.Sprintf("<!-- Generated from %s by `go generate ./...`. Do not edit. -->\n\n", source)
}
