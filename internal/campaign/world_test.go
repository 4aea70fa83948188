//go:build linux

package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/templates"
)

// world is one repository with its surroundings: home, cache, temporary folder and the worktrees beside it.
// Everything that happens in it carries its path in the environment, by which its processes are found.
type world struct {
	dir string
	id  string // the change
}

func (w *world) repo() string { return filepath.Join(w.dir, "repo") }
func (w *world) git() string  { return filepath.Join(w.dir, "repo", ".git") }
func (w *world) tree() string { return filepath.Join(w.dir, "repo-agentd", w.id) }
func (w *world) cache() string {
	return filepath.Join(w.dir, "cache")
}

// environ is the whole environment of everything in the world.
func (w *world) environ(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(w.dir, "home"),
		"TMPDIR=" + filepath.Join(w.dir, "tmp"),
		"XDG_CACHE_HOME=" + w.cache(),
		"XDG_CONFIG_HOME=" + filepath.Join(w.dir, "home", "config"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"LANG=C", "TERM=dumb", "GORACE=atexit_sleep_ms=0",
	}, more...)
}

// The person's own files on main, in every state that a file can have. No run may touch any of them.
var (
	personal = map[string]string{
		"notes.txt":     "a note\nand a line that is not committed\n", // changed
		"staged.txt":    "changed and staged\n",                       // staged
		"new.txt":       "new and staged\n",                           // added
		"half.txt":      "committed\nstaged\nnot staged\n",            // staged, then changed again
		"untracked.txt": "nobody knows this file\n",
		"build.log":     "ignored\n",
	}
	committed = map[string]string{
		"notes.txt": "a note\n", "staged.txt": "as it was\n", "half.txt": "committed\n", ".gitignore": "*.log\n",
	}
)

// newWorld makes a repository as the demo does, with a check that costs nothing, and a person at work in it.
func newWorld(dir, config string) (*world, error) {
	w := &world{dir: dir, id: templates.DemoChange}
	story := templates.Demo()
	files := map[string]string{"agentd/config.toml": config}
	err := fs.WalkDir(story, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(story, name)
		switch {
		case name == "cassette.yaml":
			files["agentd/demo/cassette.yaml"] = string(content)
		case name == "clarifications.json":
			files["../clarifications.json"] = string(content)
		default:
			files[strings.TrimPrefix(name, "project/")] = string(content)
		}
		return err
	})
	for name, content := range committed {
		files[name] = content
	}
	err = errors.Join(err, w.surroundings())
	for name, content := range files {
		err = errors.Join(err, w.write(name, content))
	}
	for _, line := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"}, {"commit", "--quiet", "--message", "Begin the project"},
	} {
		_, e := w.do(line...)
		err = errors.Join(err, e)
	}
	err = errors.Join(err, w.write("staged.txt", personal["staged.txt"]), w.write("half.txt", "committed\nstaged\n"), w.write("new.txt", personal["new.txt"]))
	_, e := w.do("add", "staged.txt", "half.txt", "new.txt")
	err = errors.Join(err, e)
	for name, content := range personal {
		err = errors.Join(err, w.write(name, content))
	}
	return w, err
}

// check is the project's own.
const check = "git diff --check main HEAD"

// recorded is the configuration in which a recording plays every role.
const recorded = `project_name = "campaign"

[roles]
proposer = "replay"
challenger = "replay"
implementer = "replay"
reviewer = "replay"

[agents.replay]
cassette = "agentd/demo/cassette.yaml"

[workflow]
script_retries = 0

[review]
commands = ["` + check + `"]
scan = "off"
`

func (w *world) surroundings() error {
	var err error
	for _, name := range []string{"home", "cache", "tmp", "repo"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(w.dir, name), 0o777))
	}
	return err
}

func (w *world) write(name, content string) error {
	path := filepath.Join(w.repo(), filepath.FromSlash(name))
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666))
}

// do runs git in the repository as the person would.
func (w *world) do(args ...string) (string, error) { return w.doIn(w.repo(), args...) }

func (w *world) doIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.environ("GIT_OPTIONAL_LOCKS=0")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w\n%s%s", strings.Join(args, " "), err, out, complaints.String())
	}
	return string(out), err
}

// copyTo makes the same world at another place. Runs and logs stay behind: nobody may need them to go on.
func (w *world) copyTo(dir string) (*world, error) {
	c := &world{dir: dir, id: w.id}
	if err := c.surroundings(); err != nil {
		return nil, err
	}
	args := []string{"-a", w.repo(), filepath.Join(w.dir, "clarifications.json")}
	args = slices.DeleteFunc(args, func(path string) bool { return strings.HasSuffix(path, ".json") })
	if _, err := os.Stat(w.dir + "/repo-agentd"); err == nil {
		args = append(args, w.dir+"/repo-agentd")
	}
	if out, err := exec.Command("cp", append(args, dir+"/")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cp: %w\n%s", err, out)
	}
	return c, errors.Join(c.relink(w.dir), copyFile(w.dir+"/clarifications.json", dir+"/clarifications.json"))
}

// relink tells the two ends of each linked worktree where the other one is now.
func (w *world) relink(old string) error {
	ends, err := filepath.Glob(filepath.Join(w.git(), "worktrees", "*", "gitdir"))
	if err != nil {
		return err
	}
	others, err := filepath.Glob(filepath.Join(w.dir, "repo-agentd", "*", ".git"))
	if err != nil {
		return err
	}
	for _, path := range append(ends, others...) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(old+"/"), []byte(w.dir+"/")), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, data, 0o666))
}

// process is the product at work in a world.
type process struct {
	*exec.Cmd
	world   *world
	outPath string
	done    chan struct{}
	err     error // after done
}

// start runs the program in a process group of its own, with its output in a file: orphans cannot keep us waiting.
func (w *world) start(program string, dir string, args []string, env ...string) (*process, error) {
	out, err := os.CreateTemp(filepath.Dir(w.dir), filepath.Base(w.dir)+"-*.out")
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &process{Cmd: exec.Command(program, args...), world: w, outPath: out.Name(), done: make(chan struct{})}
	p.Dir, p.Env, p.Stdout, p.Stderr = dir, w.environ(env...), out, out
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.Cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.Wait()
		close(p.done)
	}()
	return p, nil
}

// end waits for the process and returns its exit code (-1: killed) and what it said.
func (p *process) end(limit time.Duration) (int, string) {
	select {
	case <-p.done:
	case <-time.After(limit):
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGQUIT)
		select {
		case <-p.done:
		case <-time.After(2 * time.Second):
		}
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		<-p.done
		return -2, fmt.Sprintf("still running after %s\n%s", limit, p.said())
	}
	return p.ProcessState.ExitCode(), p.said()
}

func (p *process) said() string {
	text, err := os.ReadFile(p.outPath)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// patience is for one command of a whole story on a busy machine.
const patience = 4 * time.Minute

// run is start and end.
func (w *world) run(program string, args []string, env ...string) (int, string) {
	p, err := w.start(program, w.repo(), args, env...)
	if err != nil {
		return -2, err.Error()
	}
	return p.end(patience)
}

// living are the processes that belong to the world, but for zombies, with their command lines.
func (w *world) living() map[int]string {
	found := map[int]string{}
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(w.cache()+"\x00")) {
			continue
		}
		pid := 0
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err != nil {
			continue
		}
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || len(line) == 0 {
			continue // gone, or a zombie
		}
		found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
	}
	return found
}

// gone waits until nothing of the world is alive.
func (w *world) gone(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		left := w.living()
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("still alive after %s: %v", limit, left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ground is where worlds are made: in memory where that is possible, for every transition is synced to disk.
type ground struct {
	once   sync.Once
	dir    string
	err    error
	number int
	mu     sync.Mutex

	built   sync.Once
	program string
	linked  sync.Once
	hooked  string
	agent   string
	golden  sync.Once
	story   *story
	merging sync.Once
	specs   *story
}

var shared ground

func (g *ground) folder(t testing.TB) string {
	t.Helper()
	g.once.Do(func() {
		home := "/dev/shm"
		if info, err := os.Stat(home); err != nil || !info.IsDir() {
			home = ""
		}
		g.dir, g.err = os.MkdirTemp(home, "agentd-campaign-")
		if g.err != nil && home != "" {
			g.dir, g.err = os.MkdirTemp("", "agentd-campaign-")
		}
	})
	if g.err != nil {
		t.Fatal(g.err)
	}
	return g.dir
}

func (g *ground) remove() {
	if g.dir != "" && os.Getenv("AGENTD_CAMPAIGN_KEEP") == "" {
		_ = os.RemoveAll(g.dir)
	}
}

// place is a path for a new world. It is taken away after the test, unless that failed and somebody wants to look.
func (g *ground) place(t testing.TB) string {
	t.Helper()
	dir := g.folder(t)
	g.mu.Lock()
	g.number++
	path := filepath.Join(dir, fmt.Sprintf("w%d", g.number))
	g.mu.Unlock()
	t.Cleanup(func() {
		if t.Failed() && os.Getenv("AGENTD_CAMPAIGN_KEEP") != "" {
			t.Logf("left for you: %s", path)
			return
		}
		_ = os.RemoveAll(path)
		outs, _ := filepath.Glob(path + "-*.out")
		for _, out := range outs {
			_ = os.Remove(out)
		}
	})
	return path
}

// real is the program as it is shipped.
func (g *ground) real(t testing.TB) string {
	t.Helper()
	dir := g.folder(t)
	g.built.Do(func() {
		path := filepath.Join(dir, "bin", programName)
		cmd := exec.Command("go", "build", "-o", path, "github.com/agentd/gh-agentd")
		if out, err := cmd.CombinedOutput(); err != nil {
			g.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
		g.program = path
	})
	if g.err != nil {
		t.Fatal(g.err)
	}
	return g.program
}

// withHook is this binary under the names of the product and of the scripted agent.
func (g *ground) withHook(t testing.TB) (program, agent string) {
	t.Helper()
	dir := g.folder(t)
	g.linked.Do(func() {
		self, err := os.Executable()
		g.hooked, g.agent = filepath.Join(dir, "hooked", programName), filepath.Join(dir, "hooked", agentName)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(g.hooked), 0o777))
		// A copy, for a symbolic link would lead the program's children back to the test's own name.
		out, cpErr := exec.Command("cp", self, g.hooked).CombinedOutput()
		if cpErr != nil {
			err = errors.Join(err, fmt.Errorf("cp: %w\n%s", cpErr, out))
		}
		g.err = errors.Join(err, os.Link(g.hooked, g.agent))
	})
	if g.err != nil {
		t.Fatal(g.err)
	}
	return g.hooked, g.agent
}
