package modeltest

// Size is what was sent to a model, in bytes of the request's body.
type Size struct {
	Total     int // the body
	Prompt    int // the prompt that we wrote
	Tools     int // declarations of our MCP server's tools, where they are declared by themselves
	Dialogue  int // what the model and the tools said since the prompt
	CLISystem int // the system prompt
	CLITools  int // declarations of all other tools
}

// Rest is what is in no part: the CLI's context, earlier prompts of the session, the envelope.
func (s Size) Rest() int {
	return s.Total - s.Prompt - s.Tools - s.Dialogue - s.CLISystem - s.CLITools
}

// Ours is what is in the request because of us.
func (s Size) Ours() int { return s.Prompt + s.Tools + s.Dialogue }

func (s Size) plus(o Size) Size {
	return Size{
		Total: s.Total + o.Total, Prompt: s.Prompt + o.Prompt, Tools: s.Tools + o.Tools,
		Dialogue: s.Dialogue + o.Dialogue, CLISystem: s.CLISystem + o.CLISystem, CLITools: s.CLITools + o.CLITools,
	}
}

// Tokens estimates how many tokens a text of that many bytes is: one for every four bytes begun.
// Real tokenizers give English prose and JSON about that.
func Tokens(bytes int) int64 { return int64(bytes+3) / 4 }

// Usage is what a provider reports for one request, in tokens.
type Usage struct {
	In         int64 // all input
	Cached     int64 // the part of In read from a cache
	CacheWrite int64 // the part of In written to a cache; only Anthropic reports one
	Out        int64 // all output
	Thinking   int64 // the part of Out that is not shown
}

func (u Usage) plus(o Usage) Usage {
	return Usage{u.In + o.In, u.Cached + o.Cached, u.CacheWrite + o.CacheWrite, u.Out + o.Out, u.Thinking + o.Thinking}
}

// thinking is what every answer claims to have thought.
const thinking = 7

// measure is the usage of a request that was answered with that many bytes.
// What the conversation held before this request is taken to be cached.
func measure(r Request, answered int) Usage {
	u := Usage{In: Tokens(r.Size.Total), Out: Tokens(answered) + thinking, Thinking: thinking}
	if len(r.Done) > 0 {
		u.Cached = Tokens(r.Size.Total - r.Size.Dialogue)
	}
	if r.Vendor == Claude {
		u.CacheWrite = (u.In - u.Cached) / 2
	}
	return u
}
