package proc

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// herd is a program and all that came of it, wherever it went:
// the members of its process group, every process that carries the run's mark in its environment,
// their children, and orphans that the kernel gave to us because their parents died.
type herd struct {
	mark   string
	leader *os.Process
	since  uint64            // start time of the leader, in clock ticks since boot
	known  map[int]processID // seen in the family while its parents lived
}

func newHerd(mark string, leader *os.Process) *herd {
	h := &herd{mark: mark, leader: leader, known: map[int]processID{}}
	if p, ok := readProcess(leader.Pid); ok {
		h.since = p.started
	}
	return h
}

func (h *herd) signal(s step) { signalGroup(h.leader, s) }

// remember notes who belongs to the family now.
func (h *herd) remember() {
	for _, p := range h.family() {
		h.known[p.pid] = p.processID
	}
}

// dissolve waits for what is left of the family to leave by itself, terminates it, kills it,
// and returns the command lines of those that had to be asked.
func (h *herd) dissolve(patience time.Duration) []string { return dissolve(h.family, patience) }

// EndStrays ends what a run left behind that was killed before it could end its programs:
// every process that was started with the mark, and their children. It returns their command lines.
func EndStrays(mark string, patience time.Duration) []string {
	self := os.Getpid()
	return dissolve(func() []process {
		all := readProcesses()
		found := map[int]bool{}
		for _, p := range all {
			if carried, ok := p.mark(); ok && p.pid != self && slices.Contains(strings.Split(carried, ","), mark) {
				found[p.pid] = true
			}
		}
		withChildren(found, all, self)
		return slices.DeleteFunc(all, func(p process) bool { return p.dead || !found[p.pid] })
	}, patience)
}

func dissolve(family func() []process, patience time.Duration) []string {
	left := gather(family, patience)
	if len(left) == 0 {
		return nil
	}
	names := make([]string, len(left))
	for i, p := range left {
		names[i] = p.describe()
	}
	signalEach(left, unix.SIGTERM)
	// A process that is stopped, by reading from the terminal say, hears it only after this.
	signalEach(left, unix.SIGCONT)
	if left = gather(family, patience); len(left) == 0 {
		return names
	}
	// A process may fork while it is being killed: until nobody is left, but not for ever.
	for range 20 {
		signalEach(left, unix.SIGKILL)
		if left = gather(family, 100*time.Millisecond); len(left) == 0 {
			break
		}
	}
	return names
}

// gather waits until nobody is left, or returns who is.
func gather(family func() []process, patience time.Duration) []process {
	pause := 2 * time.Millisecond
	for deadline := time.Now().Add(patience); ; pause = min(2*pause, 50*time.Millisecond) {
		left := family()
		if len(left) == 0 || !time.Now().Before(deadline) {
			return left
		}
		<-time.After(pause)
	}
}

// withChildren adds the descendants of those found, except for ourselves.
func withChildren(found map[int]bool, all []process, self int) {
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if found[p.parent] && !found[p.pid] && p.pid != self {
				found[p.pid], grown = true, true
			}
		}
	}
}

// family finds the living members, except for ourselves, and reaps the dead ones among our adopted children.
func (h *herd) family() []process {
	all := readProcesses()
	self := os.Getpid()
	mine := map[int]bool{}
	session, _ := unix.Getsid(0)
	for _, p := range all {
		switch {
		case p.pid == self:
		case p.group == h.leader.Pid && p.started >= h.since,
			h.known[p.pid] == p.processID,
			h.mine(p, self, session):
			mine[p.pid] = true
		}
	}
	withChildren(mine, all, self)
	return slices.DeleteFunc(all, func(p process) bool {
		if !mine[p.pid] {
			return true
		}
		if !p.dead {
			return false
		}
		// The leader itself is os/exec's to wait for.
		if p.parent == self && p.pid != h.leader.Pid {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		}
		return true
	})
}

// mine judges a process by its environment. One that has none of our marks is an orphan of the run
// if we adopted it since the run began and it is in another session: the programs that we start stay in ours.
func (h *herd) mine(p process, self, session int) bool {
	mark, ok := p.mark()
	if ok {
		return strings.Contains(mark, h.mark)
	}
	return p.parent == self && p.session != session && p.started >= h.since
}

// signalEach signals processes one by one, each only if its id still means the same process.
func signalEach(list []process, sig unix.Signal) {
	for _, p := range list {
		if now, ok := readProcess(p.pid); ok && now.processID == p.processID {
			_ = unix.Kill(p.pid, sig) // it may have left this moment
		}
	}
}

// adoptOrphans makes us the parent of processes whose parents die, instead of init:
// then they can be found and reaped.
func adoptOrphans() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // an old kernel keeps the mark only
}

// processID tells processes with the same number apart.
type processID struct {
	pid     int
	started uint64
}

type process struct {
	processID
	parent, group, session int
	dead                   bool
}

func readProcesses() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// readProcess reads /proc/<pid>/stat, whose second field is a name in parentheses that may hold anything.
func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return process{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	const state, parent, group, session, started = 0, 1, 2, 3, 19 // proc_pid_stat(5), counted from the third field
	if len(fields) <= started {
		return process{}, false
	}
	p := process{processID: processID{pid: pid}, dead: strings.ContainsAny(fields[state], "ZXx")}
	p.parent, _ = strconv.Atoi(fields[parent])
	p.group, _ = strconv.Atoi(fields[group])
	p.session, _ = strconv.Atoi(fields[session])
	p.started, err = strconv.ParseUint(fields[started], 10, 64)
	return p, err == nil
}

// mark is the mark in the environment that the process began with.
// Processes of other users cannot be read, and are not ours.
func (p process) mark() (string, bool) {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	if err != nil {
		return "", false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(MarkVariable+"=")); ok {
			return string(value), true
		}
	}
	return "", false
}

// describe is the command line, cut to what fits into a message.
func (p process) describe() string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
	text := Clean(string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '})))
	const longest = 120
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return fmt.Sprintf("%s (pid %d)", text, p.pid)
}
