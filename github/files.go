package github

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-github/v60/github"
)

// File is one file that a pull request changes.
type File struct {
	Path     string // the new one
	Previous string // the old one, where it was renamed or copied
	Status   string // GitHub's: added, removed, modified, renamed, copied, changed, unchanged
	Hunks    []Hunk // none for binary files, mere renames, and patches too big for GitHub to send
}

// Files are what a pull request changes, as far as GitHub lists it.
type Files struct {
	Changed []File
	Total   int    // how many the pull request says it changes
	Local   []File // as a clone tells of others; what GitHub does not list it may still take comments on
}

// fileLimit is how many files GitHub lists of a pull request.
const fileLimit = 3000

// Complete reports whether all files were listed. A verdict on less must not approve.
func (f Files) Complete() bool { return len(f.Changed) >= f.Total }

// Has reports whether a review may comment on these lines: they must stand within one hunk.
// Both sides go by the file's new path, as GitHub has it.
func (f Files) Has(path string, side Side, first, last int) bool {
	for _, file := range slices.Concat(f.Changed, f.Local) {
		if file.Path != path {
			continue
		}
		for _, h := range file.Hunks {
			if h.has(side, first, last) {
				return true
			}
		}
	}
	return false
}

// Files lists what a pull request changes between its merge base and its head.
// A patch that cannot be read leaves its file without lines to comment on, and is no error.
func (c *Client) Files(ctx context.Context, p PullRequest) (Files, error) {
	files := Files{Total: p.ChangedFiles}
	opts := &github.ListOptions{PerPage: perPage}
	for len(files.Changed) < fileLimit {
		page, resp, err := c.rest.PullRequests.ListFiles(ctx, c.target.Owner, c.target.Repo, p.Number, opts)
		if err != nil {
			return Files{}, c.explain(ctx, fmt.Sprintf("list the files of pull request #%d", p.Number), err)
		}
		for _, f := range page {
			hunks, err := ParsePatch(f.GetPatch())
			if err != nil {
				hunks = nil
			}
			files.Changed = append(files.Changed, File{Path: f.GetFilename(), Previous: f.GetPreviousFilename(), Status: f.GetStatus(), Hunks: hunks})
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return files, nil
}
