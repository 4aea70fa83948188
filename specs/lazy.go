package specs

import (
	"regexp"
	"sync"
)

// lazy is a regular expression that is compiled at its first use:
// a command that reads no document starts without paying for one.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
