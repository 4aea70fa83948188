package gitops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Fingerprint is what decides how git behaves here and where its references stand, at one moment.
// It is taken before and after a program runs that nobody trusts.
type Fingerprint struct {
	files    map[string]string // path -> kind, mode and digest
	kinds    map[string]TamperKind
	settings map[string]string // origin and key -> values
	refs     map[string]ID
}

// TamperKind says what was changed.
type TamperKind string

// The kinds of [Tampering].
const (
	TamperConfig     TamperKind = "config"     // a configuration file
	TamperHook       TamperKind = "hook"       // what git runs
	TamperInfo       TamperKind = "info"       // attributes, exclude, grafts, sparse-checkout, alternates
	TamperHead       TamperKind = "HEAD"       // another branch was checked out, or HEAD detached
	TamperWorktree   TamperKind = "worktree"   // a worktree was added, moved or removed
	TamperRef        TamperKind = "ref"        // a reference moved
	TamperAttributes TamperKind = "attributes" // .gitattributes or .gitmodules of the worktree: a person must look
)

// Tampering is one difference between two fingerprints.
type Tampering struct {
	Kind   TamperKind
	Path   string // a file's path, or a reference's name
	Detail string // the settings that differ, or what happened
}

// String is the end of a sentence that begins with who did it: "changed .git/config (core.hooksPath)".
func (t Tampering) String() string {
	verb := "changed "
	if t.Kind == TamperRef {
		verb = "moved "
	}
	if t.Detail == "" {
		return verb + t.Path
	}
	return verb + t.Path + " (" + t.Detail + ")"
}

// Fingerprint reads the control files of the repository and of all its worktrees, the effective configuration, and all references.
func (r *Repo) Fingerprint(ctx context.Context) (Fingerprint, error) {
	f := Fingerprint{files: map[string]string{}, kinds: map[string]TamperKind{}, refs: map[string]ID{}}
	var both errgroup.Group
	both.Go(func() error { return f.addFiles(ctx, r) })
	both.Go(func() error {
		refs, err := r.Refs(ctx)
		for _, ref := range refs {
			f.refs[ref.Name] = ref.ID
		}
		return err
	})
	if err := both.Wait(); err != nil {
		return Fingerprint{}, err
	}
	return f, nil
}

func (f *Fingerprint) addFiles(ctx context.Context, r *Repo) (err error) {
	if f.settings, err = r.origins(ctx); err != nil {
		return err
	}
	for _, place := range r.controlPlaces(f.settings) {
		if err := f.add(place.path, place.kind); err != nil {
			return err
		}
	}
	return nil
}

type controlPlace struct {
	path string // a file, or a folder with everything below it
	kind TamperKind
}

func (r *Repo) controlPlaces(settings map[string]string) []controlPlace {
	common := func(elem ...string) string { return filepath.Join(append([]string{r.commonDir}, elem...)...) }
	places := []controlPlace{
		{common("config"), TamperConfig},
		{common("config.worktree"), TamperConfig},
		{common("hooks"), TamperHook},
		{common("agentd", "hooks"), TamperHook},
		{common("info"), TamperInfo},
		{common("objects", "info", "alternates"), TamperInfo},
		{common("shallow"), TamperInfo},
		{common("HEAD"), TamperHead},
	}
	for _, pattern := range []controlPlace{
		{"worktrees/*/HEAD", TamperHead},
		{"worktrees/*/gitdir", TamperWorktree},
		{"worktrees/*/commondir", TamperWorktree},
		{"worktrees/*/config.worktree", TamperConfig},
		{"worktrees/*/info", TamperInfo},
		{"modules/*/config", TamperConfig},
		{"modules/*/hooks", TamperHook},
	} {
		found, err := filepath.Glob(filepath.Join(escapeGlob(r.commonDir), filepath.FromSlash(pattern.path)))
		if err != nil {
			continue // the pattern is ours and well-formed
		}
		for _, path := range found {
			places = append(places, controlPlace{path, pattern.kind})
		}
	}
	if r.workTree != "" {
		places = append(places,
			controlPlace{filepath.Join(r.workTree, ".gitattributes"), TamperAttributes},
			controlPlace{filepath.Join(r.workTree, ".gitmodules"), TamperAttributes})
		if r.gitDir != r.commonDir {
			places = append(places, controlPlace{filepath.Join(r.workTree, ".git"), TamperWorktree})
		}
	}
	for key, values := range settings {
		if !strings.HasSuffix(key, "\x00core.hookspath") {
			continue
		}
		for dir := range strings.SplitSeq(values, "\x00") {
			if below, ok := strings.CutPrefix(dir, "~/"); ok {
				home, _ := lookup(r.caller, "HOME")
				dir = filepath.Join(home, below)
			}
			if dir == "" || dir[0] == '~' { // another person's home
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(r.home(), dir)
			}
			places = append(places, controlPlace{dir, TamperHook})
		}
	}
	return places
}

// Digest is what a control file was like, "" if it was not there.
func (f Fingerprint) Digest(path string) string { return f.files[path] }

// ControlDigest is what a control file is like now, to be compared with [Fingerprint.Digest].
func ControlDigest(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return digestOf(path, fs.FileInfoToDirEntry(info))
}

// add takes in a file, or all files below a folder, also where it is a link. What is not there is not an error, and is a fact.
func (f *Fingerprint) add(root string, kind TamperKind) error {
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, err := filepath.EvalSymlinks(root); err == nil { // without one there is nothing behind it
			if err := f.walk(target, kind); err != nil {
				return err
			}
		}
	}
	return f.walk(root, kind)
}

func (f *Fingerprint) walk(root string, kind TamperKind) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() || path == filepath.Join(root, "refs") && kind == TamperInfo {
			return err // info/refs is a listing that gc writes
		}
		digest, err := digestOf(path, entry)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		f.files[path], f.kinds[path] = digest, kind
		return err
	})
}

func digestOf(path string, entry fs.DirEntry) (string, error) {
	info, err := entry.Info()
	if err != nil {
		return "", err
	}
	mode := info.Mode().String()
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		return mode + " " + target, err
	}
	if !info.Mode().IsRegular() {
		return mode, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return mode + " " + hex.EncodeToString(sum.Sum(nil)), nil
}

// origins maps "<file>\x00<key>" to all its values. Included and global files are in it.
func (r *Repo) origins(ctx context.Context) (map[string]string, error) {
	out, err := r.git(ctx, call{args: []string{"config", "-z", "--list", "--includes", "--show-origin"}})
	if err != nil {
		return nil, err
	}
	parts := fields(out)
	settings := map[string]string{}
	for i := 0; i+1 < len(parts); i += 2 {
		key, value, _ := strings.Cut(parts[i+1], "\n")
		origin := strings.TrimPrefix(parts[i], "file:")
		if !filepath.IsAbs(origin) {
			origin = filepath.Join(r.home(), origin)
		}
		settings[origin+"\x00"+key] += value + "\x00"
	}
	return settings, nil
}

// Diff lists what differs in a later fingerprint, but for the references that were allowed to move.
func (f Fingerprint) Diff(later Fingerprint, allowedRefs ...string) []Tampering {
	var found []Tampering
	keys := changedKeys(f.settings, later.settings)
	for _, path := range changed(f.files, later.files) {
		kind := f.kinds[path]
		if kind == "" {
			kind = later.kinds[path]
		}
		detail := strings.Join(keys[path], ", ")
		if _, was := f.files[path]; !was {
			detail = "new"
		} else if _, is := later.files[path]; !is {
			detail = "removed"
		}
		found = append(found, Tampering{Kind: kind, Path: path, Detail: detail})
		delete(keys, path)
	}
	for _, path := range slices.Sorted(maps.Keys(keys)) { // files outside of the repository
		found = append(found, Tampering{Kind: TamperConfig, Path: path, Detail: strings.Join(keys[path], ", ")})
	}
	for _, name := range changed(f.refs, later.refs) {
		if !slices.Contains(allowedRefs, name) {
			found = append(found, Tampering{Kind: TamperRef, Path: name, Detail: orAbsent(f.refs[name]) + " → " + orAbsent(later.refs[name])})
		}
	}
	return found
}

// changedKeys groups the settings that differ by the file that they stand in.
func changedKeys(before, after map[string]string) map[string][]string {
	keys := map[string][]string{}
	for _, name := range changed(before, after) {
		origin, key, _ := strings.Cut(name, "\x00")
		keys[origin] = append(keys[origin], key)
	}
	return keys
}

// changed lists the keys whose values differ, in order.
func changed[V comparable](before, after map[string]V) []string {
	var names []string
	for name, value := range before {
		if other, ok := after[name]; !ok || other != value {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
