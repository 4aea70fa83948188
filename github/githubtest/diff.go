package githubtest

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// changed is one file of a diff.
type changed struct {
	path, previous, status, blob string
	patch                        string // from the first hunk on, "" without one
	added, removed               int
}

var statuses = map[byte]string{'A': "added", 'D': "removed", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "changed"}

// files is the pull request's diff, from the merge base to the head, as git has it.
func (p *pull) files() []changed { return p.repo.server.git.diff(p.repo.Dir, p.mergeBase(), p.head) }

func (g git) diff(dir, from, to string) []changed {
	raw, err := g.run(dir, "", "diff", "--raw", "-z", "-M", "--full-index", from, to)
	if err != nil || raw == "" {
		return nil
	}
	var files []changed
	for words := strings.Split(strings.TrimSuffix(raw, "\x00"), "\x00"); len(words) > 1; {
		head := strings.Fields(words[0]) // :mode mode blob blob status
		f := changed{status: statuses[head[4][0]], blob: head[3], path: words[1]}
		if f.status == "removed" {
			f.blob = head[2]
		}
		words = words[2:]
		if f.status == "renamed" || f.status == "copied" {
			f.previous, f.path, words = f.path, words[0], words[1:]
		}
		files = append(files, f)
	}
	text, err := g.run(dir, "", "diff", "-M", "--no-color", "--no-ext-diff", "--no-prefix", from, to)
	if err != nil {
		return nil
	}
	// Every line of content begins with a blank, a sign or a backslash: what begins with "diff --git" is a head.
	parts := strings.Split("\n"+text, "\ndiff --git ")[1:]
	for i := range files {
		if at := strings.Index(parts[i], "\n@@"); at >= 0 {
			files[i].patch = parts[i][at+1:]
		}
		for line := range strings.Lines(files[i].patch) {
			switch line[0] {
			case '+':
				files[i].added++
			case '-':
				files[i].removed++
			}
		}
	}
	return files
}

func (c *call) listFiles(p *pull) answer {
	var all []any
	for _, f := range p.files() {
		if len(all) == cmp.Or(p.repo.MostFiles, 3000) {
			break
		}
		at := fmt.Sprintf("%s/%s", c.URL(), p.repo.name())
		wire := map[string]any{
			"sha": f.blob, "filename": f.path, "status": f.status, "additions": f.added, "deletions": f.removed, "changes": f.added + f.removed,
			"blob_url": at + "/blob/" + p.head + "/" + f.path, "raw_url": at + "/raw/" + p.head + "/" + f.path,
			"contents_url": c.APIURL() + "/repos/" + p.repo.name() + "/contents/" + f.path + "?ref=" + p.head,
		}
		if f.patch != "" {
			wire["patch"] = f.patch
		}
		if f.previous != "" {
			wire["previous_filename"] = f.previous
		}
		all = append(all, wire)
	}
	return c.page(all)
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// line is a line of a diff that can be commented on: which hunk it is in.
type line struct {
	side string
	n    int
}

// lines are the lines of a patch and their hunks.
func lines(patch string) map[line]int {
	found := map[line]int{}
	var left, right, hunk int
	for text := range strings.Lines(patch) {
		if m := hunkHead.FindStringSubmatch(text); m != nil {
			left, _ = strconv.Atoi(m[1])
			right, _ = strconv.Atoi(m[3])
			hunk++
			continue
		}
		if text[0] != '+' && text[0] != '\\' {
			found[line{"LEFT", left}] = hunk
			left++
		}
		if text[0] != '-' && text[0] != '\\' {
			found[line{"RIGHT", right}] = hunk
			right++
		}
	}
	return found
}

// carry says where a line of a commit's file is in another commit, 0 where it was changed or removed.
func (g git) carry(dir, path, from, to string, n int) int {
	if from == to {
		return n
	}
	patch, err := g.run(dir, "", "diff", "-U0", "--no-color", "--no-ext-diff", from, to, "--", path)
	if err != nil || g.missing(dir, to, path) {
		return 0
	}
	shift := 0
	for text := range strings.Lines(patch) {
		m := hunkHead.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		start, count, added := number(m[1], 0), number(m[2], 1), number(m[4], 1)
		switch {
		case count == 0 && n > start, count > 0 && n >= start+count:
			shift += added - count
		case count > 0 && n >= start:
			return 0
		}
	}
	return n + shift
}

func (g git) missing(dir, commit, path string) bool {
	_, err := g.run(dir, "", "cat-file", "-e", commit+":"+path)
	return err != nil
}
