// Package shortlink turns long addresses into short codes and back.
// Links live in memory for as long as their Shortener does.
package shortlink

import (
	"errors"
	"fmt"
	"net/url"
	"sync"
)

// ErrNotFound says that no link has the code that was asked for.
var ErrNotFound = errors.New("link not found")

// ErrBadTarget says that a target is not an absolute http or https address.
var ErrBadTarget = errors.New("target is not an absolute http or https address")

// Link is a short code and where it leads.
type Link struct {
	Code   string
	Target string
	Owner  string // who made the link
}

// Shortener keeps links. It is safe for use by several goroutines.
type Shortener struct {
	mu    sync.Mutex
	links map[string]Link
	last  uint64 // the number behind the newest code
}

// New returns an empty Shortener.
func New() *Shortener {
	return &Shortener{links: make(map[string]Link)}
}

// Shorten keeps a link to target and returns it with its new code.
// A target that is not an absolute http or https address is refused with ErrBadTarget.
func (s *Shortener) Shorten(owner, target string) (Link, error) {
	if err := checkTarget(target); err != nil {
		return Link{}, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	link := Link{Code: encode(s.last), Target: target, Owner: owner}
	s.links[link.Code] = link
	return link, nil
}

// Resolve returns the target behind a code, or ErrNotFound.
func (s *Shortener) Resolve(code string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	link, ok := s.links[code]
	if !ok {
		return "", fmt.Errorf("resolve %q: %w", code, ErrNotFound)
	}
	return link.Target, nil
}

func checkTarget(target string) error {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("shorten %q: %w", target, ErrBadTarget)
	}
	return nil
}
