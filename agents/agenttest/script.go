package agenttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// script is a parsed txtar: the calls and the files.
type script struct {
	path     string
	sections []section
	files    map[string][]byte
}

// section is the commands of a call.
type section struct {
	name, step string // step "" = any
	number     int    // 0 = any
	lines      []line
}

type line struct {
	where string // section and line, for messages
	text  string
}

func (l line) wrap(err error) error { return fmt.Errorf("%s: %q: %w", l.where, l.text, err) }

const folder = ".agenttest"

func readScript(home string) (*script, error) {
	path := filepath.Join(home, folder, "script.txtar")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	return parseScript(path, data)
}

func parseScript(path string, data []byte) (*script, error) {
	s := &script{path: path, files: map[string][]byte{}}
	for _, file := range txtar.Parse(data).Files {
		selector, isCall := strings.CutPrefix(file.Name, "call ")
		if !isCall {
			s.files[file.Name] = file.Data
			continue
		}
		sec, err := parseSelector(selector)
		if err != nil {
			return nil, fmt.Errorf("%s: section %q: %w", path, file.Name, err)
		}
		for i, text := range strings.Split(string(file.Data), "\n") {
			if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "#") {
				sec.lines = append(sec.lines, line{fmt.Sprintf("%s: section %q, line %d", path, file.Name, i+1), text})
			}
		}
		s.sections = append(s.sections, sec)
	}
	return s, nil
}

func parseSelector(text string) (section, error) {
	parts := strings.Split(text, "/")
	sec := section{name: parts[0]}
	if sec.name == "" || len(parts) > 3 {
		return sec, errors.New("want NAME, NAME/STEP or NAME/STEP/N")
	}
	if len(parts) > 1 && parts[1] != "*" {
		sec.step = parts[1]
	}
	if len(parts) > 2 {
		var err error
		if sec.number, err = strconv.Atoi(parts[2]); err != nil || sec.number < 1 {
			return sec, fmt.Errorf("%q is no number of a call", parts[2])
		}
	}
	return sec, nil
}

// counted is a call with its place among those before it.
type counted struct {
	name, step     string
	ofName, ofStep int // from 1
}

type unknownCallError struct {
	call counted
	path string
}

func (e *unknownCallError) Error() string {
	return fmt.Sprintf("UNKNOWN CALL: %s has no section for call %d of %s (call %d with step %q)",
		e.path, e.call.ofName, e.call.name, e.call.ofStep, e.call.step)
}

// choose returns the lines of the most exact section for a call.
func (s *script) choose(c counted) ([]line, error) {
	best, bestRank := -1, -1
	for i, sec := range s.sections {
		nth := c.ofName
		rank := 0
		if sec.step != "" {
			nth = c.ofStep
			rank++
		}
		if sec.number != 0 {
			rank += 2
		}
		fits := sec.name == c.name && (sec.step == "" || sec.step == c.step) && (sec.number == 0 || sec.number == nth)
		if fits && rank == bestRank {
			return nil, fmt.Errorf("%s: two sections fit call %d of %s equally", s.path, c.ofName, c.name)
		}
		if fits && rank > bestRank {
			best, bestRank = i, rank
		}
	}
	if best < 0 {
		return nil, &unknownCallError{call: c, path: s.path}
	}
	return s.sections[best].lines, nil
}

func (s *script) file(name string) ([]byte, error) {
	data, ok := s.files[name]
	if !ok {
		return nil, fmt.Errorf("the script has no section %q", name)
	}
	return data, nil
}

// split cuts a line into words as the package comment says. There is at least one.
func split(text string, env environ) ([]string, error) {
	var words []string
	for text = strings.TrimLeft(text, " \t"); text != ""; text = strings.TrimLeft(text, " \t") {
		switch text[0] {
		case '#':
			return words, nil
		case '\'':
			word, rest, closed := strings.Cut(text[1:], "'")
			if !closed {
				return nil, errors.New("a quote is not closed")
			}
			words, text = append(words, word), rest
		case '"':
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, errors.New("a quote is not closed")
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", quoted, err)
			}
			words, text = append(words, word), text[len(quoted):]
		default:
			end := strings.IndexAny(text, " \t")
			if end < 0 {
				end = len(text)
			}
			words, text = append(words, os.Expand(text[:end], env.get)), text[end:]
		}
	}
	return words, nil
}
