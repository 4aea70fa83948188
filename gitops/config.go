package gitops

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// configuration is what `git config --list` says, read once for each place a repository is seen from.
type configuration struct {
	mu     sync.Mutex
	values map[string]setting
}

// setting is one value. A key that stands alone, without an equals sign, is true as a boolean.
type setting struct {
	text  string
	alone bool
}

// Config is the value that git itself would use: all scopes, includes and environment, the last one wins.
// Section and variable are compared without case.
func (r *Repo) Config(ctx context.Context, key string) (value string, ok bool, err error) {
	values, err := r.settings(ctx)
	if err != nil {
		return "", false, err
	}
	found, ok := values[canonicalKey(key)]
	return found.text, ok, nil
}

// ConfigBool reads a value as git reads booleans. What is not set is false.
func (r *Repo) ConfigBool(ctx context.Context, key string) (bool, error) {
	values, err := r.settings(ctx)
	if err != nil {
		return false, err
	}
	found, ok := values[canonicalKey(key)]
	if !ok || found.alone {
		return ok, nil
	}
	switch text := strings.ToLower(found.text); text {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	default:
		n, err := strconv.Atoi(text)
		if err != nil {
			return false, fmt.Errorf("config %s: %q is not a boolean", key, text)
		}
		return n != 0, nil
	}
}

// settings is everything that is configured, by canonical key.
func (r *Repo) settings(ctx context.Context) (map[string]setting, error) {
	r.config.mu.Lock()
	defer r.config.mu.Unlock()
	if r.config.values != nil {
		return r.config.values, nil
	}
	out, err := r.git(ctx, call{args: []string{"config", "-z", "--list", "--includes"}})
	if err != nil {
		return nil, err
	}
	values := map[string]setting{}
	for _, pair := range fields(out) {
		key, text, ok := strings.Cut(pair, "\n")
		values[key] = setting{text: text, alone: !ok}
	}
	r.config.values = values
	return values, nil
}

// canonicalKey lower-cases what git compares without case; the middle of a three-part key is a name.
func canonicalKey(key string) string {
	first, last := strings.Index(key, "."), strings.LastIndex(key, ".")
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}
