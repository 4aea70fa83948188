package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Command is an agent as a configuration file describes it, under [agents.<name>].
//
// Words are filled one by one and never seen by a shell; a word whose only placeholders are empty is left out.
// The placeholders: {prompt_file} {model} {effort} {session} {dir} {run_dir} {role} {step} {round} {task} {change} {tools}.
// {tools} is a file that describes our MCP server as {"mcpServers":{"agentd":{…}}}.
// {prompt} is the prompt itself, with Prompt "arg" only; a long one is replaced by a sentence that names its file.
type Command struct {
	Name    string            // required
	Command []string          // required: the program and its words
	Prompt  string            // stdin (default), file, arg
	Output  string            // text (default), jsonl-last, agentd, or what gemini, codex or claude print
	Model   string            // a word to append when there is a model, such as "--model={model}"
	Effort  string            // the same for the effort
	Session string            // the same for a session to resume
	Env     map[string]string // variables to set; placeholders are filled
	Keys    []string          // variables of the caller's environment to let through
	Exits   Exits             // what its exit statuses mean
	// Environ is the environment in which Agent.Check looks for the program.
	Environ []string
}

// longestArgument is far below MAX_ARG_STRLEN, the 128 KiB that Linux allows one argument.
const longestArgument = 32 << 10

// Agent checks the description and makes the agent. Its error is an [*Error] of kind Config.
func (c Command) Agent() (*Program, error) {
	refuse := func(format string, args ...any) (*Program, error) {
		return nil, &Error{Kind: Config, Agent: c.Name, Detail: fmt.Sprintf(format, args...)}
	}
	if len(c.Command) == 0 || c.Command[0] == "" {
		return refuse("command is empty")
	}
	if !slices.Contains([]string{"", "stdin", "file", "arg"}, c.Prompt) {
		return refuse("prompt is %q, and must be stdin, file or arg", c.Prompt)
	}
	if strings.Contains(c.Command[0], "{") {
		return refuse("the program %q is a placeholder", c.Command[0])
	}
	for _, word := range c.templates() {
		if err := c.checkPlaceholders(word); err != nil {
			return refuse("%v", err)
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(c.Env)), c.Keys...) {
		if matches(name, forbidden) {
			return refuse("%s never reaches an agent", name)
		}
	}
	codec, err := c.codec()
	if err != nil {
		return refuse("%v", err)
	}
	// Whatever speaks like one of the three mostly is one, behind a wrapper, and signs in like it.
	keys := slices.Concat(c.Keys, vendors()[c.Output].keys)
	return &Program{ID: c.Name, Path: c.Command[0], Keys: keys, Environ: c.Environ, NewCodec: codec}, nil
}

func (c Command) codec() (func() Codec, error) {
	switch c.Output {
	case "", "text":
		return func() Codec { return NewPlainCodec(c.invocation, c.Exits) }, nil
	case "jsonl-last":
		return func() Codec { return newLastLineCodec(c.invocation) }, nil
	case "agentd":
		return func() Codec { return NewJSONLCodec(c.invocation) }, nil
	}
	known, ok := vendors()[c.Output]
	if !ok {
		return nil, fmt.Errorf("output is %q, and must be text, jsonl-last, agentd, gemini, codex or claude", c.Output)
	}
	return func() Codec { return known.reading(c.invocation) }, nil
}

// templates are all texts of the description that may hold placeholders.
func (c Command) templates() []string {
	words := append([]string{c.Model, c.Effort, c.Session}, c.Command[1:]...)
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		words = append(words, c.Env[name])
	}
	return words
}

// Placeholders are the names that a word of a command may hold in braces, sorted.
func Placeholders() []string { return slices.Sorted(maps.Keys(Command{}.values(Request{}))) }

func (c Command) checkPlaceholders(word string) error {
	known := c.values(Request{})
	for _, name := range placeholders(word) {
		if name == "prompt" && c.Prompt != "arg" {
			return fmt.Errorf(`{prompt} in %q needs prompt = "arg"; {prompt_file} is its file`, word)
		}
		if _, ok := known[name]; !ok {
			return fmt.Errorf("%q has the unknown placeholder {%s}; known are {%s}", word, name,
				strings.Join(slices.Sorted(maps.Keys(known)), "} {"))
		}
	}
	return nil
}

func (c Command) invocation(r Request) (Invocation, error) {
	if err := checkSession(r.Session); err != nil {
		return Invocation{}, err
	}
	values := c.values(r)
	inv := Invocation{NoStdin: c.Prompt == "file" || c.Prompt == "arg"}
	for _, word := range append(c.Command[1:len(c.Command):len(c.Command)], c.Model, c.Effort, c.Session) {
		if filled, ok := fill(word, values); ok {
			inv.Args = append(inv.Args, filled)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if filled, ok := fill(c.Env[name], values); ok || c.Env[name] == "" {
			inv.Env = append(inv.Env, name+"="+filled)
		}
	}
	if r.Tools != nil {
		data, err := toolsFile(*r.Tools)
		if err != nil {
			return inv, err
		}
		inv.Files = map[string][]byte{toolsName: data}
	}
	return inv, nil
}

func (c Command) values(r Request) map[string]string {
	v := map[string]string{
		"prompt": "", "prompt_file": r.PromptFile(), "model": r.Model, "effort": r.Effort, "session": "", "dir": r.Dir, "run_dir": r.RunDir,
		"role": r.Role, "step": r.Step, "round": roundText(r.Round), "task": r.Task, "change": r.Change, "tools": "",
	}
	if r.Session != nil {
		v["session"] = r.Session.ID
	}
	if r.Tools != nil {
		v["tools"] = filepath.Join(r.CallDir, toolsName)
	}
	if c.Prompt == "arg" {
		v["prompt"] = string(r.Prompt)
		if len(r.Prompt) > longestArgument {
			v["prompt"] = fmt.Sprintf("Read the file %s and do what it says.", r.PromptFile())
		}
	}
	return v
}

const toolsName = "tools.json"

// toolsFile is the description of an MCP server in the form that most agents read.
func toolsFile(t ToolServer) ([]byte, error) {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}
	s := server{Command: t.Command, Args: t.Args, Env: variables(t.Env)}
	data, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]server{serverName: s}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describe the tools: %w", err)
	}
	return append(data, '\n'), nil
}

// placeholders are the names in braces of a word.
func placeholders(word string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(word, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return names
		}
		if isPlaceholder(name) {
			names = append(names, name)
			word = after
		} else {
			word = rest // a brace of some other meaning, such as JSON
		}
	}
}

func isPlaceholder(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// fill replaces placeholders in one pass, so that a value is never searched for placeholders itself.
// It reports false for a word that is empty or whose placeholders all are.
func fill(word string, values map[string]string) (string, bool) {
	names := placeholders(word)
	if len(names) == 0 {
		return word, word != ""
	}
	var pairs []string
	filled := false
	for _, name := range names {
		pairs = append(pairs, "{"+name+"}", values[name])
		filled = filled || values[name] != ""
	}
	return strings.NewReplacer(pairs...).Replace(word), filled
}
