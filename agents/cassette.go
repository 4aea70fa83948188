package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/agentd/gh-agentd/internal/confine"
)

// Cassette is a recording of what agents did, to be played by [NewReplay]:
//
//	version: 1
//	calls:
//	  - step: challenge       # required; with round and task it says which request this answers
//	    round: 1              # left out: any round
//	    tools:
//	      - name: append_review
//	        arguments: {verdict: NEEDS_REVISION, summary: One requirement has no scenario.}
//	        expect_error: false
//	    write: [{path: notes.txt, content: "…"}, {path: run.sh, content: "…", executable: true}]
//	    delete: [old.txt]
//	    say: [Two findings.]
//	    usage: {in: 1200, cached: 200, out: 300, usd: 0.01, model: gpt-5.5}
//	    sleep: 50ms
//	    exit: 0
//
// A call is played in this order: sleep, delete, write, tools, say, usage, exit.
// Which call is played depends on the request alone and never on what was played before,
// so that a run that was killed and is run again sees the same.
type Cassette struct {
	Name  string // of the file, for messages
	Calls []CassetteCall
}

// CassetteCall is the answer to one request.
type CassetteCall struct {
	Step   string
	Round  int    // 0 = any
	Task   string // "" = any
	Sleep  time.Duration
	Write  []CassetteFile
	Delete []string
	Tools  []CassetteTool
	Say    []string
	Usage  *Claim
	Exit   int
	Line   int // in the file
}

// CassetteFile is a file to write, slash-separated and relative to the working directory.
type CassetteFile struct {
	Path, Content string
	Executable    bool
}

// CassetteTool is a call of one of our tools.
type CassetteTool struct {
	Name        string
	Arguments   json.RawMessage
	ExpectError bool // the tool must refuse
}

// largestCassette bounds what is read; a whole change with its files is a tenth of it.
const largestCassette = 16 << 20

// The file as it is written; unknown fields are errors.
type (
	cassetteFile struct {
		Version int        `yaml:"version"`
		Calls   []callFile `yaml:"calls"`
	}
	callFile struct {
		Step   string      `yaml:"step"`
		Round  int         `yaml:"round,omitempty"`
		Task   string      `yaml:"task,omitempty"`
		Sleep  string      `yaml:"sleep,omitempty"`
		Write  []writeFile `yaml:"write,omitempty"`
		Delete []string    `yaml:"delete,omitempty"`
		Tools  []toolFile  `yaml:"tools,omitempty"`
		Say    []exactText `yaml:"say,omitempty"`
		Usage  *usageFile  `yaml:"usage,omitempty"`
		Exit   int         `yaml:"exit,omitempty"`
	}
	writeFile struct {
		Path       string    `yaml:"path"`
		Content    exactText `yaml:"content"`
		Executable bool      `yaml:"executable,omitempty"`
	}
	toolFile struct {
		Name        string    `yaml:"name"`
		Arguments   yaml.Node `yaml:"arguments,omitempty"`
		ExpectError bool      `yaml:"expect_error,omitempty"`
	}
	usageFile struct {
		In         *float64 `yaml:"in,omitempty"`
		Cached     *float64 `yaml:"cached,omitempty"`
		CacheWrite *float64 `yaml:"cache_write,omitempty"`
		Out        *float64 `yaml:"out,omitempty"`
		USD        *float64 `yaml:"usd,omitempty"`
		Model      string   `yaml:"model,omitempty"`
	}
)

// ReadCassette reads the file of a cassette. What is no regular file may never end, and is refused, as is a file that is too large.
func ReadCassette(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	if info.Size() > largestCassette {
		return nil, fmt.Errorf("%s: larger than %d bytes", path, largestCassette)
	}
	return os.ReadFile(path)
}

// ParseCassette reads a cassette. Errors name file and line.
func ParseCassette(name string, src []byte) (*Cassette, error) {
	if len(src) > largestCassette {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, largestCassette)
	}
	var file cassetteFile
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:1: the cassette is empty", name)
		}
		return nil, yamlError(name, err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: a cassette is one YAML document", name)
	}
	if file.Version != 1 {
		return nil, fmt.Errorf("%s:1: version is %d, and this program plays version 1", name, file.Version)
	}
	lines := callLines(src)
	if len(lines) != len(file.Calls) {
		return nil, fmt.Errorf("%s: calls has an entry that is none", name)
	}
	c := &Cassette{Name: name}
	for i, line := range lines {
		call, err := file.Calls[i].call(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		c.Calls = append(c.Calls, call)
	}
	return c, c.checkDistinct()
}

// call checks one call. Its errors begin with a line number.
func (f callFile) call(line int) (CassetteCall, error) {
	refuse := func(format string, args ...any) (CassetteCall, error) {
		return CassetteCall{}, fmt.Errorf("%d: %s", line, fmt.Sprintf(format, args...))
	}
	call := CassetteCall{Step: f.Step, Round: f.Round, Task: f.Task, Delete: f.Delete, Exit: f.Exit, Line: line}
	for _, text := range f.Say {
		call.Say = append(call.Say, string(text))
	}
	switch {
	case f.Step == "":
		return refuse("a call needs a step")
	case f.Round < 0:
		return refuse("round is %d; rounds begin at 1, and a call for any round has none", f.Round)
	case f.Exit < 0 || f.Exit > 255:
		return refuse("exit is %d, and must be between 0 and 255", f.Exit)
	}
	if f.Sleep != "" {
		var err error
		if call.Sleep, err = time.ParseDuration(f.Sleep); err != nil || call.Sleep < 0 {
			return refuse("sleep is %q, and must be a duration such as 50ms", f.Sleep)
		}
	}
	for _, w := range f.Write {
		call.Write = append(call.Write, CassetteFile{w.Path, string(w.Content), w.Executable})
	}
	for _, path := range call.paths() {
		if err := checkPath(path); err != nil {
			return refuse("%v", err)
		}
	}
	for _, t := range f.Tools {
		if t.Name == "" {
			return refuse("a tool call needs a name")
		}
		arguments, err := argumentsJSON(t.Arguments)
		if err != nil {
			return CassetteCall{}, err
		}
		call.Tools = append(call.Tools, CassetteTool{t.Name, arguments, t.ExpectError})
	}
	if u := f.Usage; u != nil {
		call.Usage = (*Claim)(u)
	}
	return call, nil
}

func (c CassetteCall) paths() []string {
	paths := slices.Clone(c.Delete)
	for _, w := range c.Write {
		paths = append(paths, w.Path)
	}
	return paths
}

// checkPath keeps a cassette out of git's own files.
func checkPath(path string) error {
	if err := confine.CheckName(path); err != nil {
		return err
	}
	for element := range strings.SplitSeq(path, "/") {
		if strings.EqualFold(element, ".git") {
			return fmt.Errorf("path %q is inside .git", path)
		}
	}
	return nil
}

// checkDistinct refuses two calls for the same request: the second would never be played.
func (c *Cassette) checkDistinct() error {
	first := map[string]int{}
	for _, call := range c.Calls {
		key := requestText(call.Step, call.Round, call.Task)
		if line, taken := first[key]; taken {
			return fmt.Errorf("%s:%d: %s is there already, in line %d", c.Name, call.Line, key, line)
		}
		first[key] = call.Line
	}
	return nil
}

// Find returns the call that answers a request: of those whose step is the same
// and whose round and task, where they have one, are too, the most exact one; a task is more exact than a round.
// Without any, the error says what there is for the step.
func (c *Cassette) Find(step string, round int, task string) (CassetteCall, error) {
	exactness := func(call CassetteCall) int {
		n := 0
		if call.Round != 0 {
			n++
		}
		if call.Task != "" {
			n += 2
		}
		return n
	}
	var fitting []CassetteCall
	var others []string
	for _, call := range c.Calls {
		if call.Step == step && (call.Round == 0 || call.Round == round) && (call.Task == "" || call.Task == task) {
			fitting = append(fitting, call)
		} else {
			others = append(others, requestText(call.Step, call.Round, call.Task))
		}
	}
	if len(fitting) == 0 {
		return CassetteCall{}, fmt.Errorf("%s: no call for %s; it has: %s", c.Name, requestText(step, round, task), strings.Join(others, "; "))
	}
	return slices.MaxFunc(fitting, func(a, b CassetteCall) int { return cmp.Compare(exactness(a), exactness(b)) }), nil
}

func requestText(step string, round int, task string) string {
	text := "step " + step
	if round != 0 {
		text += ", round " + strconv.Itoa(round)
	}
	if task != "" {
		text += ", task " + task
	}
	return text
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): `)
})

// yamlError turns "yaml: line 3: …" into "file:3: …".
func yamlError(name string, err error) error {
	text := err.Error()
	if types, ok := errors.AsType[*yaml.TypeError](err); ok && len(types.Errors) > 0 {
		text = types.Errors[0]
	}
	at := yamlLine().FindStringSubmatch(text)
	if at == nil {
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(text, "yaml: "))
	}
	text = strings.TrimPrefix(text, at[0])
	for _, of := range []string{"agents.callFile", "agents.cassetteFile"} {
		text = strings.ReplaceAll(text, " in type "+of, "")
	}
	return fmt.Errorf("%s:%s: %s", name, at[1], text)
}
