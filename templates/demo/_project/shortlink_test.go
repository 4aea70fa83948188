package shortlink

import (
	"errors"
	"testing"
)

func TestShorten_resolvesToItsTarget(t *testing.T) {
	s := New()
	for _, target := range []string{"https://example.com/a", "http://example.com/b?c=d"} {
		link, err := s.Shorten("ada", target)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Resolve(link.Code)
		if err != nil {
			t.Fatal(err)
		}
		if got != target {
			t.Errorf("code %q leads to %q, want %q", link.Code, got, target)
		}
	}
}

func TestShorten_refusesBadTargets(t *testing.T) {
	s := New()
	for _, target := range []string{"", "example.com", "/a/b", "ftp://example.com/a", "https://", "http://%zz"} {
		if _, err := s.Shorten("ada", target); !errors.Is(err, ErrBadTarget) {
			t.Errorf("target %q: got error %v, want ErrBadTarget", target, err)
		}
	}
}

func TestResolve_unknownCode(t *testing.T) {
	if _, err := New().Resolve("zz"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got error %v, want ErrNotFound", err)
	}
}

func TestEncode(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9: "9", 61: "Z", 62: "10", 3844: "100", 1<<64 - 1: "lYGhA16ahyf"} {
		if got := encode(n); got != want {
			t.Errorf("encode(%d) is %q, want %q", n, got, want)
		}
	}
}
