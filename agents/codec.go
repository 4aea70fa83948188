package agents

// Codec is what has to be known about one kind of agent: its command line and its output.
// A codec lives for one run and is used by one goroutine at a time.
type Codec interface {
	// Args turns a request into a command line.
	// The request has CallDir set and its PromptFile is written; the prompt must not become an argument.
	// An error that is no [*Error] is reported as Config.
	Args(r Request) (Invocation, error)
	// Line reads one line of standard output, without its line feed.
	// A line of more than 4 MiB arrives cut to that size. Bytes are valid until Line returns.
	Line(line []byte) []Event
	// Finish is called once, after the program's end.
	// It returns nil only if the agent itself reported success; exit status 0 alone is none.
	// stderr is the end of standard error.
	Finish(exit int, stderr string) (Result, error)
}

// NoteReader is a codec that also reads standard error, where some agents tell of retries.
type NoteReader interface {
	Note(line []byte) []Event
}

// Invocation is a command line and what has to be there when it starts.
type Invocation struct {
	Args []string
	// Env are variables "NAME=value" set beside the allowed ones.
	Env []string
	// Files are written into the request's CallDir before the start, by name relative to it; folders are made.
	Files map[string][]byte
	// Home replaces CallDir as the folder of Files. It is the request's Home or empty.
	Home string
	// Dir replaces the request's working directory.
	Dir string
	// Stdin is what the program reads instead of the prompt, where it names the prompt's file.
	Stdin []byte
	// NoStdin leaves standard input empty, for agents that read the prompt from its file.
	NoStdin bool
}
