package agenttest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Call is what a scripted agent was told.
type Call struct {
	Number  int // over all agents, from 1
	Name    string
	Step    string
	Args    []string // without the program
	Dir     string   // the working directory
	Environ []string
	Stdin   string `json:"-"`
	Folder  string `json:"-"` // where it is recorded, beside what commands left there
}

// Env is the value of a variable of the call, or empty.
func (c Call) Env(name string) string { return environ(c.Environ).get(name) }

// Install makes script the one that agents with this HOME obey.
func Install(t testing.TB, home, script string) {
	t.Helper()
	if _, err := parseScript("script.txtar", []byte(script)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, folder)
	err := os.MkdirAll(dir, 0o755)
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "script.txtar"), []byte(script), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// Calls reads back the calls of agents with this HOME, oldest first.
func Calls(t testing.TB, home string) []Call {
	t.Helper()
	calls, err := readCalls(home)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// keepRecord records the call and counts it.
func (a *agent) keepRecord(home string) (counted, error) {
	dir, err := os.Getwd()
	if err != nil {
		return counted{}, fmt.Errorf("find the working directory: %w", err)
	}
	call := Call{Name: a.name, Step: a.env.get("AGENTD_STEP"), Args: a.args, Dir: dir, Environ: a.env}
	if call.Folder, call.Number, err = freshRecord(home, a.name); err != nil {
		return counted{}, err
	}
	a.record = call.Folder
	data, err := json.MarshalIndent(call, "", "  ")
	// The description comes last: a record with one is complete.
	err = errors.Join(err,
		os.WriteFile(filepath.Join(call.Folder, "stdin"), a.prompt, 0o644),
		os.WriteFile(filepath.Join(call.Folder, "call.json"), data, 0o644))
	if err != nil {
		return counted{}, fmt.Errorf("record the call: %w", err)
	}
	earlier, err := readCalls(home)
	if err != nil {
		return counted{}, err
	}
	c := counted{name: call.Name, step: call.Step}
	for _, other := range earlier {
		if other.Name == call.Name && other.Number <= call.Number {
			c.ofName++
			if other.Step == call.Step {
				c.ofStep++
			}
		}
	}
	return c, nil
}

// freshRecord makes the next numbered folder; calls may come at the same time.
func freshRecord(home, name string) (string, int, error) {
	dir := filepath.Join(home, folder, "calls")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", 0, fmt.Errorf("record the call: %w", err)
	}
	for n := 1; ; n++ {
		// The number alone is taken first, so that two names cannot share it.
		err := os.Mkdir(filepath.Join(dir, fmt.Sprintf("%03d", n)), 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", 0, fmt.Errorf("record the call: %w", err)
		}
		record := filepath.Join(dir, fmt.Sprintf("%03d-%s", n, name))
		if err := os.Mkdir(record, 0o755); err != nil {
			return "", 0, fmt.Errorf("record the call: %w", err)
		}
		return record, n, nil
	}
}

func readCalls(home string) ([]Call, error) {
	paths, err := filepath.Glob(filepath.Join(home, folder, "calls", "*-*", "call.json"))
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		call := Call{Folder: filepath.Dir(path)}
		if json.Unmarshal(data, &call) != nil {
			continue // being written at this moment, so later than us
		}
		number, _, _ := strings.Cut(filepath.Base(call.Folder), "-")
		if call.Number, err = strconv.Atoi(number); err != nil {
			return nil, fmt.Errorf("read record %q: %w", call.Folder, err)
		}
		stdin, err := os.ReadFile(filepath.Join(call.Folder, "stdin"))
		if err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		call.Stdin = string(stdin)
		calls = append(calls, call)
	}
	slices.SortFunc(calls, func(a, b Call) int { return cmp.Compare(a.Number, b.Number) })
	return calls, nil
}
