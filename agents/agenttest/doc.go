// Package agenttest is a scripted agent for tests: a program that plays gemini, codex, claude or any other agent,
// obeys a txtar script, misbehaves in every way that agents do, and records what it was told.
// It owns the script language and the record. It decides nothing about what an agent should have done,
// and only tests import it.
//
// # Installing it
//
// [Main] is the body of the program. A test binary registers it under the names that the product looks for:
//
//	testscript.Main(m, map[string]func(){
//		"gemini": func() { os.Exit(agenttest.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, os.Environ())) },
//	})
//
// The script is $HOME/.agenttest/script.txtar, for HOME is a variable that every agent gets; [Install] writes it.
// Each call is recorded in $HOME/.agenttest/calls/<number>-<name>; [Calls] reads them back.
//
// # Choosing what to do
//
// A section "call NAME", "call NAME/STEP" or "call NAME/STEP/N" holds the commands of a call.
// NAME is the program's name, STEP the value of AGENTD_STEP or *,
// and N counts the calls of that name, and of that step unless it is *, from 1.
// The most exact section wins: one with N over one without, then one with a step over *.
// A call for which there is no section ends with status 97 and a loud message, so that no test passes by accident.
// Status 98 is a mistake in the script, or a want that was not met.
// All other sections are files for commands to use.
// `--version`, `login status` and `auth status` are answered without a section and without a record.
//
//	-- call gemini/proposal-gen --
//	want prompt 'add OAuth'
//	start
//	tool create_proposal proposal.json
//	say 'The proposal is written.'
//	done in=1200 out=300
//	-- call codex --
//	hang
//	-- proposal.json --
//	{"summary": "…"}
//
// # Commands
//
// One a line; # begins a comment. Words are separated by spaces; 'single quotes' keep everything as it is,
// "double quotes" are Go strings with \n, \x1b and so on, and $NAME in a word without quotes is a variable of the agent's environment.
//
// Files, relative to the working directory, or anywhere at all:
//
//	write PATH FILE          FILE is a section of the script
//	text PATH TEXT           write this text
//	append PATH TEXT
//	edit PATH OLD NEW        OLD must be there
//	delete PATH              a file, or a folder with all that is in it
//	mkdir PATH
//	symlink TARGET PATH      replacing what is there, as do the next three
//	hardlink TARGET PATH
//	fifo PATH
//	sparse PATH BYTES        a file that claims this size
//	gitfile NAME TEXT        append to a file of git's own, such as config, hooks/pre-commit, info/attributes, HEAD
//
// Output:
//
//	print TEXT…              a line; printerr to standard error
//	raw TEXT                 exactly these bytes; rawerr to standard error
//	cat FILE                 a section of the script
//	flood WHERE BYTES        lines of output on stdout, stderr or both
//	longline WHERE BYTES     the same as one line without an end
//
// Events, in the words of the program whose name this is (gemini, codex, claude; otherwise those of agents.NewJSONLCodec):
//
//	format NAME              from here on in the words of NAME; plain prints what is said and nothing else
//	start [MODEL]            the session begins
//	say TEXT
//	retry STATUS             the provider answered with this HTTP status
//	done [in=N] [cached=N] [out=N]
//	fail TEXT                the final event, of a failure
//
// Our program:
//
//	tool NAME FILE [refused]     call a tool of the MCP server that this agent was configured with, as its own CLI would find it
//	nonsense FILE                send these bytes to the server instead; its answers are kept in the record as nonsense.out
//	submit STEP FILE [refused]   run `$AGENTD_BIN submit STEP --json-file …`
//
// Misbehaviour:
//
//	sleep DURATION           hang                 for a day
//	chatter DURATION         print for that long
//	ignore INT|TERM|HUP…     child [setsid] [bare] [deaf]    leave a process behind: own session, empty environment, deaf to signals
//	ask TEXT                 ask on the terminal and wait for a line; the end of input is an answer too
//	git WORDS…               commit, switch branches, detach, configure
//	run PROGRAM WORDS…       exit STATUS
//
// Wants, each with status 98 if it is not so:
//
//	want prompt|arg|env|file …    refuse prompt|arg|env …
//	    prompt TEXT: standard input holds it; arg WORD: an argument is it; env NAME or NAME=VALUE; file PATH TEXT: the file holds it
package agenttest
