package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// guard remembers how things stood before an agent's turn.
// An agent may write where its step allows; git's control files, refs and HEAD are not among it.
type guard struct {
	bench  *Bench
	dir    *gitops.Repo // the repository seen from the agent's directory
	branch string       // the ref that the agent's work ends on
	access agents.Access
	linked bool // the directory has a .git of its own, without which nothing there can be asked
	prints gitops.Fingerprint
	status map[string]string // path → state, of the agent's directory
	main   map[string]string // the same of the checkout the person works in
	tree   gitops.ID         // the directory as a tree; only for steps that write
	began  time.Time
}

func (b *Bench) guard(ctx context.Context, id phases.ChangeID, dir string, access agents.Access) (*guard, error) {
	g := &guard{bench: b, dir: b.at(dir), branch: id.Ref(), access: access, began: time.Now()}
	g.linked = g.dir.WorkTree() != "" && present(filepath.Join(g.dir.WorkTree(), ".git"))
	// Each is a git process or two of its own, and none changes what another one reads.
	var all errgroup.Group
	all.Go(func() (err error) { g.prints, err = g.dir.Fingerprint(ctx); return err })
	all.Go(func() (err error) {
		if access == agents.Write {
			g.tree, err = g.dir.SnapshotWorktree(ctx)
		} else {
			g.status, err = statusOf(ctx, g.dir)
		}
		return err
	})
	if g.watchesMain() {
		all.Go(func() (err error) { g.main, err = statusOf(ctx, b.Repo); return err })
	}
	return g, all.Wait()
}

// watchesMain says whether the person's own checkout is another one than the agent's.
func (g *guard) watchesMain() bool {
	return g.bench.Repo.WorkTree() != "" && g.bench.Repo.WorkTree() != g.dir.WorkTree()
}

// after compares, and sorts what the agent wrote into what its step may commit and what it may not.
func (g *guard) after(ctx context.Context, h *handover, t turn) error {
	// Cancelling a turn must not cancel the look at what the agent left behind.
	ctx = context.WithoutCancel(ctx)
	if link := filepath.Join(g.dir.WorkTree(), ".git"); g.linked && !present(link) {
		return &TamperError{Agent: h.player.agent.Name(), Step: string(t.step), What: []string{"removed " + link}}
	}
	prints, err := g.dir.Fingerprint(ctx)
	if err != nil {
		return err
	}
	// Where the configuration was touched, git is asked nothing more: it would run what the agent wrote there.
	found := g.prints.Diff(prints)
	what := g.tampering(found, h)
	if len(what) == 0 {
		if what, err = g.afterMain(ctx, h); err != nil {
			return err
		}
	}
	if len(what) > 0 {
		tampered := &TamperError{Agent: h.player.agent.Name(), Step: string(t.step), What: what}
		return errors.Join(tampered, g.bench.noteTampering(tampered.Agent, tampered.Step, found, prints))
	}
	if g.access == agents.Write {
		return g.collect(ctx, h, t)
	}
	now, err := statusOf(ctx, g.dir)
	if err != nil {
		return err
	}
	h.left = differing(g.status, now)
	return nil
}

// afterMain looks at the checkout the person works in. Who implements has no business there, and is stopped;
// beside a step that only reads a person is most often at work themselves, and is told.
func (g *guard) afterMain(ctx context.Context, h *handover) (what []string, err error) {
	if !g.watchesMain() {
		return nil, nil
	}
	now, err := statusOf(ctx, g.bench.Repo)
	if err != nil {
		return nil, err
	}
	changed := differing(g.main, now)
	if g.access == agents.Write {
		for _, path := range changed {
			what = append(what, "changed "+path+" in "+g.bench.Repo.WorkTree())
		}
	} else if len(changed) > 0 {
		const most = 3
		names := strings.Join(changed[:min(len(changed), most)], ", ")
		if more := len(changed) - most; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		g.bench.Say.Warn(fmt.Sprintf("%s changed in %s while %s worked: was it you?", names, g.bench.Repo.WorkTree(), h.player.agent.Name()))
	}
	return what, nil
}

// tampering keeps what only the agent can have done to what it must not touch.
// Meanwhile people switch branches, commit and push in their own checkout, and other changes are worked on;
// what may have been them is told and not held against the agent.
func (g *guard) tampering(found []gitops.Tampering, h *handover) []string {
	var what []string
	for _, t := range found {
		switch t.Kind {
		case gitops.TamperRef:
			if t.Path == g.branch && g.access == agents.Write {
				what = append(what, t.String())
			} else if t.Path == g.branch || !g.explained(t.Path) {
				g.bench.Say.Warn(fmt.Sprintf("%s moved while %s worked: was it you?", t.Path, h.player.agent.Name()))
			}
		case gitops.TamperHead, gitops.TamperWorktree:
			if filepath.Dir(t.Path) == g.dir.GitDir() || strings.HasPrefix(t.Path, g.dir.WorkTree()+string(filepath.Separator)) {
				what = append(what, t.String())
			}
		case gitops.TamperAttributes:
			g.bench.Say.Warn(fmt.Sprintf("%s changed %s: it decides how git reads files, so look at it", h.player.agent.Name(), filepath.Base(t.Path)))
		case gitops.TamperConfig:
			if !strings.HasPrefix(t.Detail, "branch.") { // what `git push -u` writes
				what = append(what, t.String())
			}
		default:
			what = append(what, t.String())
		}
	}
	return what
}

// explained says whether a reference may have moved without anybody noticing: by a fetch or a stash,
// or by a run of ours on another change, which has written its lock meanwhile.
func (g *guard) explained(ref string) bool {
	if !slices.ContainsFunc([]string{"refs/heads/", "refs/tags/", "refs/agentd/"}, func(space string) bool { return strings.HasPrefix(ref, space) }) {
		return true
	}
	words := strings.Split(ref, "/")
	if words[1] != "agentd" && words[2] != "agentd" || len(words) < 4 {
		return false
	}
	lock, err := os.Stat(filepath.Join(g.bench.Repo.CommonDir(), "agentd", "locks", words[3]))
	return err == nil && lock.ModTime().After(g.began)
}

// collect takes what the agent wrote outside agentd/ and puts agentd/ back as it was.
func (g *guard) collect(ctx context.Context, h *handover, t turn) error {
	from := g.tree
	if t.started != "" {
		from = gitops.ID(t.started)
	}
	now, err := g.dir.SnapshotWorktree(ctx)
	if err != nil {
		return err
	}
	all, err := g.dir.DiffTrees(ctx, from, now)
	if err != nil {
		return err
	}
	var record []string
	for _, c := range all {
		if changes.InRecord(c.Path) {
			record = append(record, c.Path)
			continue
		}
		h.code = append(h.code, c)
	}
	if err := g.linksStay(ctx, h.code); err != nil {
		return err
	}
	if len(record) == 0 {
		return nil
	}
	kept, err := h.box.KeepDropped(g.dir.WorkTree(), record)
	if err != nil {
		return err
	}
	g.bench.Say.Warn(fmt.Sprintf("%s wrote under agentd/ (%d files): dropped; what it wrote is in %s", h.player.agent.Name(), len(record), kept))
	h.left = append(h.left, record...)
	return g.dir.RestorePaths(ctx, from, record)
}

// linksStay refuses symbolic links that lead out of the repository: what the checks read there, nobody else has.
func (g *guard) linksStay(ctx context.Context, code []gitops.FileChange) error {
	links := slices.DeleteFunc(slices.Clone(code), func(c gitops.FileChange) bool { return c.NewMode != gitops.ModeSymlink })
	if len(links) == 0 {
		return nil
	}
	objects, err := g.dir.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, link := range links {
		target, err := objects.Blob(link.NewID)
		if err != nil {
			return err
		}
		if to := string(target); path.IsAbs(to) || !fs.ValidPath(path.Join(path.Dir(link.Path), to)) || g.leadsOut(link.Path) {
			return &GateError{
				Gate: "artefacts", Reason: fmt.Sprintf("%s is a link to %s, outside the repository: nobody else has what it leads to", link.Path, to),
				Next: fmt.Sprintf("remove %s, and run the same command again", filepath.Join(g.dir.WorkTree(), link.Path)),
			}
		}
	}
	return nil
}

// leadsOut follows a link on the disk: "folder/../file" is elsewhere where the folder is a link.
// What leads to nothing has been judged by its words.
func (g *guard) leadsOut(link string) bool {
	top, err := filepath.EvalSymlinks(g.dir.WorkTree())
	if err != nil {
		return true
	}
	real, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(link)))
	if err != nil {
		return false
	}
	within, err := filepath.Rel(top, real)
	return err != nil || !filepath.IsLocal(within)
}

func present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func statusOf(ctx context.Context, repo *gitops.Repo) (map[string]string, error) {
	entries, err := repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	states := make(map[string]string, len(entries))
	for _, e := range entries {
		states[e.Path] = e.XY
	}
	return states, nil
}

// differing are the paths whose state is not the same in both, in order.
func differing(before, after map[string]string) []string {
	var paths []string
	for path, state := range after {
		if before[path] != state {
			paths = append(paths, path)
		}
	}
	for path := range before {
		if _, still := after[path]; !still {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
