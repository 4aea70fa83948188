package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/cli/go-gh/v2/pkg/term"
)

// streams are the three standard streams, with what is known about who is at the other end.
type streams struct {
	in  io.Reader
	out *answers
	err io.Writer

	inTTY, outTTY, errTTY bool
	color                 bool // on standard output
	errColor              bool
	term                  term.Term
}

func newStreams(env Env) *streams {
	s := &streams{in: env.In, out: &answers{w: env.Out}, err: env.Err}
	s.inTTY = isTerminal(env.In)
	// Whatever is not a file is no terminal, whatever the environment says: there GH_FORCE_TTY has nobody to please.
	if _, ok := env.Out.(*os.File); ok {
		s.term = term.FromEnv()
		s.outTTY = s.term.IsTerminalOutput()
		s.color = s.term.IsColorEnabled()
	}
	s.errTTY = isTerminal(env.Err)
	s.errColor = s.errTTY && !term.IsColorDisabled()
	if env.getenv("TERM") == "dumb" {
		s.color, s.errColor = false, false
	}
	return s
}

// answers is standard output. It remembers that something could not be written:
// an answer that is cut off on a full disk is no success.
type answers struct {
	w   io.Writer
	err error
}

func (a *answers) Write(p []byte) (int, error) {
	n, err := a.w.Write(p)
	if err != nil && a.err == nil {
		a.err = fmt.Errorf("write the answer: %w", err)
	}
	return n, err
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f)
}

// width is the number of columns of the terminal, 80 where nobody knows.
func (s *streams) width() int {
	if !s.outTTY && !s.errTTY {
		return 80
	}
	if columns, _, err := s.term.Size(); err == nil && columns > 0 {
		return columns
	}
	return 80
}

// paint are colours of the 4-bit palette; the terminal's theme decides how they look.
// Colour only ever repeats what a word or a mark says.
type paint bool

func (p paint) bold(s string) string   { return p.sgr("1", s) }
func (p paint) green(s string) string  { return p.sgr("32", s) }
func (p paint) yellow(s string) string { return p.sgr("33", s) }
func (p paint) red(s string) string    { return p.sgr("31", s) }
func (p paint) cyan(s string) string   { return p.sgr("36", s) }
func (p paint) muted(s string) string  { return p.sgr("2", s) }

func (p paint) sgr(code, s string) string {
	if !bool(p) || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
