package agents

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// NewReplay is the agent that plays a cassette: executable, which is this program itself, is run as
//
//	executable replay --cassette=F --step=S --round=N --task=T --change=C --dir=D --tool-command=X --tool-arg=A …
//
// as a process of its own under the same rules as every agent, and does what [Play] says.
// cassette must be an absolute path, for the agent has a working directory of its own.
func NewReplay(executable, cassette string) *Program {
	return &Program{
		ID: "replay", Path: executable, Words: []string{"replay"},
		NewCodec: func() Codec {
			return NewJSONLCodec(func(r Request) (Invocation, error) { return replayInvocation(cassette, r) })
		},
	}
}

func replayInvocation(cassette string, r Request) (Invocation, error) {
	if !filepath.IsAbs(cassette) {
		return Invocation{}, fmt.Errorf("cassette %q is not an absolute path", cassette)
	}
	inv := Invocation{Args: []string{"--cassette=" + cassette, "--step=" + r.Step}}
	for _, flag := range []struct{ name, value string }{
		{"round", roundText(r.Round)}, {"task", r.Task}, {"change", r.Change}, {"dir", r.Dir},
	} {
		if flag.value != "" {
			inv.Args = append(inv.Args, "--"+flag.name+"="+flag.value)
		}
	}
	if r.Tools != nil {
		inv.Args = append(inv.Args, "--tool-command="+r.Tools.Command)
		for _, arg := range r.Tools.Args {
			inv.Args = append(inv.Args, "--tool-arg="+arg)
		}
		inv.Env = r.Tools.Env // the player hands its own environment on
	}
	return inv, nil
}

// roundText is a round as an argument; there is none before the first.
func roundText(round int) string {
	if round <= 0 {
		return ""
	}
	return strconv.Itoa(round)
}
