package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/internal/proc"
)

// The marks of progress. Each stands before a sentence that says the same.
const (
	markGoing = "-"
	markDone  = "✓"
	markWarn  = "!"
	markStop  = "X"
)

// progress tells the person what happens, on standard error:
// on a terminal the sentence of what is going on is one live line, elsewhere each is a line of its own.
// It is the workflow's Reporter. Foreign text is cleaned and cut to one line here, in one place.
type progress struct {
	w       io.Writer
	live    bool // redraw one line
	verbose bool // also print what agents say and do
	paint   paint
	width   func() int
	now     func() time.Time
	named   func(string) string // commands as this person types them

	mu     sync.Mutex
	doing  string // the sentence that is going on, "" between two
	detail string // the newest thing an agent did
	since  time.Time
	tools  int          // how many the agent has used
	spent  agents.Usage // what it said it has used so far
	until  time.Time    // a retry waits till then
	stop   chan struct{}
	ticker sync.WaitGroup
}

// Start says what begins. The sentence before, if it was not ended, counts as done without words.
func (p *progress) Start(doing string) {
	p.halt()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.doing, p.detail, p.since = p.sentence(doing), "", p.now()
	p.tools, p.spent, p.until = 0, agents.Usage{}, time.Time{}
	if !p.live {
		fmt.Fprintf(p.w, "%s %s\n", markGoing, p.doing)
		return
	}
	p.draw()
	p.stop = make(chan struct{})
	stop := p.stop
	p.ticker.Go(func() { p.tick(stop) })
}

// Done says what has been done, in the past tense.
func (p *progress) Done(done string) { p.end(p.paint.green(markDone), done) }

// Warn says what the person should know; what is going on goes on.
func (p *progress) Warn(sentence string) { p.line(p.paint.yellow(markWarn)+" ", sentence) }

// Note is a plain sentence beside what is going on.
func (p *progress) Note(sentence string) { p.line("", sentence) }

// detailLine belongs to the sentence above it.
func (p *progress) detailLine(sentence string) { p.line("  ", sentence) }

// Event shows what an agent does: as the tail of the live line, or as lines where they are asked for.
func (p *progress) Event(agent string, e agents.Event) {
	text := oneLine(e.Text)
	switch e.Kind {
	case agents.Warning, agents.Retry:
		p.Warn(joinWords(agent+":", text))
		return
	case agents.Tool:
		text = joinWords("uses", e.Name, text)
	case agents.Text, agents.Spent:
	default:
		return
	}
	if p.verbose && text != "" {
		p.detailLine(agent + ": " + text)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Kind == agents.Spent:
		p.spent = e.Usage
	case e.Kind == agents.Tool:
		p.tools++
	}
	if text != "" && !p.verbose {
		p.detail = text
	}
	p.draw()
}

// Wait counts the time down until what is going on goes on.
func (p *progress) Wait(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until, p.detail = until, ""
	p.draw()
}

// pause takes the live line away while something else uses the terminal.
func (p *progress) pause() {
	p.halt()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.doing = ""
}

// close ends the progress of a run; what was going on when an error came is named as not finished.
func (p *progress) close(err error) {
	p.mu.Lock()
	open := p.doing
	p.mu.Unlock()
	switch {
	case open == "":
	case err != nil:
		p.end(p.paint.red(markStop), "not finished: "+open)
	default:
		p.pause()
	}
}

func (p *progress) end(mark, sentence string) {
	p.halt()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.doing, p.detail = "", ""
	fmt.Fprintf(p.w, "%s %s\n", mark, p.sentence(sentence))
}

func (p *progress) line(prefix, sentence string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintf(p.w, "%s%s\n", prefix, p.sentence(sentence))
	p.draw()
}

// tick redraws the live line, so that its time moves while an agent is silent.
func (p *progress) tick(stop <-chan struct{}) {
	clock := time.NewTicker(time.Second)
	defer clock.Stop()
	for {
		select {
		case <-stop:
			return
		case <-clock.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// halt ends the redrawing and waits for it.
func (p *progress) halt() {
	p.mu.Lock()
	stop := p.stop
	p.stop = nil
	p.mu.Unlock()
	if stop != nil {
		close(stop)
		p.ticker.Wait()
	}
}

func (p *progress) draw() {
	if !p.live || p.doing == "" {
		return
	}
	text := joinWords(markGoing, p.doing, strings.Join(p.figures(), ", "))
	if p.detail != "" {
		text += "  " + p.detail
	}
	// One column stays free: a full line would wrap, and then one erase is not enough.
	fmt.Fprintf(p.w, "\r\x1b[2K%s", ansi.Truncate(text, max(p.width()-1, 10), "…"))
}

// figures are how long it takes, how many tools the agent has used, and what it has used up as far as it tells.
func (p *progress) figures() []string {
	var all []string
	now := p.now()
	if wait := p.until.Sub(now); wait > 0 {
		all = append(all, "again in "+duration(wait))
	}
	if elapsed := now.Sub(p.since); elapsed >= 2*time.Second {
		all = append(all, duration(elapsed))
	}
	if p.tools > 0 {
		all = append(all, plural(p.tools, "tool"))
	}
	if p.spent.Known {
		all = append(all, thousands(p.spent.In+p.spent.Out)+" tokens")
	}
	if cost := dollars(p.spent.USD); cost != "" {
		all = append(all, "$"+cost)
	}
	return all
}

func (p *progress) erase() {
	if p.live && p.doing != "" {
		fmt.Fprint(p.w, "\r\x1b[2K")
	}
}

func (p *progress) sentence(s string) string {
	if s = oneLine(s); p.named == nil {
		return s
	}
	return p.named(s)
}

// oneLine makes foreign text fit for one line of a terminal.
func oneLine(s string) string {
	return strings.Join(strings.Fields(proc.Clean(s)), " ")
}

func joinWords(words ...string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// duration is short: 4s, 2m10s, 1h5m.
func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%dm", int(d.Hours()), int(d.Minutes())%60)
}
