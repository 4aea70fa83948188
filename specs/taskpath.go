package specs

import (
	"path"
	"strings"
)

// TaskPathFault says why a path cannot be the file of a task, "" if it can:
// tasks touch files inside the repository, and never git's own.
func TaskPathFault(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case strings.TrimSpace(name) == "":
		return "is empty"
	case strings.ContainsFunc(name, unsafeRune) || strings.ContainsAny(name, "\n\t"):
		return "holds control characters"
	case strings.HasPrefix(slashed, "/"), hasDrive(slashed):
		return "is absolute"
	case strings.HasPrefix(slashed, "~"):
		return "leads to a home folder"
	}
	for part := range strings.SplitSeq(slashed, "/") {
		if part == ".." {
			return "leads out of its folder"
		}
		if isGitFolder(part) {
			return "is inside .git"
		}
	}
	return ""
}

// hasDrive reports "C:/…" as Windows writes absolute paths.
func hasDrive(name string) bool {
	return len(name) >= 2 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z'
}

// isGitFolder knows the names under which some file system would open .git:
// any case, trailing dots and spaces (Windows), its short name there, and ignorable characters (macOS).
func isGitFolder(part string) bool {
	part = strings.Map(func(r rune) rune {
		if r >= '\u200c' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u206a' && r <= '\u206f' || r == '\ufeff' {
			return -1
		}
		return r
	}, part)
	part, _, _ = strings.Cut(part, ":") // an alternate stream of NTFS
	part = strings.ToLower(strings.TrimRight(part, ". "))
	return part == ".git" || part == "git~1"
}

// PathNeedsPerson reports whether a change to this path should be looked at by a person,
// because it decides what runs, who may approve, or what is downloaded.
func PathNeedsPerson(name string) bool {
	name = strings.ToLower(path.Clean(strings.ReplaceAll(name, `\`, "/")))
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case ".github", ".githooks", ".husky", "hooks":
			return true
		}
	}
	switch base := path.Base(name); base {
	case "codeowners", ".gitattributes", ".gitmodules", "lefthook.yml", "lefthook.yaml", ".pre-commit-config.yaml",
		"go.sum", "cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
		"poetry.lock", "pipfile.lock", "uv.lock", "gemfile.lock", "composer.lock", "flake.lock", "mix.lock", "packages.lock.json":
		return true
	default:
		return strings.HasSuffix(base, ".lock")
	}
}

// NeedsPerson lists the files of a task that a person should look at.
func (t Task) NeedsPerson() []string {
	var names []string
	for _, file := range t.Files {
		if PathNeedsPerson(file.Path) {
			names = append(names, file.Path)
		}
	}
	return names
}
