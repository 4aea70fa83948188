package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// table is a table of the file. The zero table has no keys, so that absent tables need no special case.
type table struct {
	r      *reading
	path   string
	values map[string]any
}

// take returns the value of a key and marks it as known.
func (t table) take(key string) (value any, path string, ok bool) {
	value, ok = t.values[key]
	path = joinKey(t.path, key)
	if ok {
		t.r.asked[path] = true
	}
	return value, path, ok
}

// has reports whether the file mentions the key.
func (t table) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

// keys returns the keys of the table, sorted.
func (t table) keys() []string { return slices.Sorted(maps.Keys(t.values)) }

// table opens a table within this one; it is empty if there is none.
func (t table) table(key string) table {
	value, path, ok := t.take(key)
	if !ok {
		return table{r: t.r, path: path}
	}
	values, isTable := value.(map[string]any)
	if !isTable {
		t.r.refuse(path, "want a table, got %s", show(value))
	}
	return table{r: t.r, path: path, values: values}
}

// tables opens an array of tables.
func (t table) tables(key string) []table {
	value, path, ok := t.take(key)
	if !ok {
		return nil
	}
	var all []table
	for i, entry := range asList(value) {
		values, isTable := entry.(map[string]any)
		at := path + "[" + strconv.Itoa(i) + "]"
		if !isTable {
			t.r.refuse(at, "want a table, got %s", show(entry))
			return nil
		}
		all = append(all, table{r: t.r, path: at, values: values})
	}
	if all == nil {
		t.r.refuse(path, "want an array of tables, [[%s]], got %s", path, show(value))
	}
	return all
}

// asList returns the elements of an array, nil for anything else.
func asList(value any) []any {
	switch list := value.(type) {
	case []any:
		return list
	case []map[string]any:
		all := make([]any, len(list))
		for i := range list {
			all[i] = list[i]
		}
		return all
	default:
		return nil
	}
}

func (t table) text(key string, into *string) {
	value, path, ok := t.take(key)
	if !ok {
		return
	}
	text, isText := value.(string)
	if !isText {
		t.r.refuse(path, "want a text in quotes, got %s", show(value))
		return
	}
	*into = text
}

func (t table) texts(key string, into *[]string) {
	value, path, ok := t.take(key)
	if !ok {
		return
	}
	list, isList := value.([]any)
	if !isList {
		t.r.refuse(path, "want a list of texts, got %s", show(value))
		return
	}
	texts := make([]string, 0, len(list))
	for i, element := range list {
		text, isText := element.(string)
		if !isText || strings.TrimSpace(text) == "" {
			t.r.refuse(path, "want a list of texts, but element %d is %s", i+1, show(element))
			return
		}
		texts = append(texts, text)
	}
	*into = texts
}

func (t table) flag(key string, into *bool) {
	value, path, ok := t.take(key)
	if !ok {
		return
	}
	flag, isFlag := value.(bool)
	if !isFlag {
		t.r.refuse(path, "want true or false, got %s", show(value))
		return
	}
	*into = flag
}

// count reads a whole number within limits; the upper ones only keep typing errors from becoming bills.
func (t table) count(key string, into *int, least, most int) {
	value, path, ok := t.take(key)
	if !ok {
		return
	}
	n, isInt := value.(int64)
	if !isInt || n < int64(least) || n > int64(most) {
		t.r.refuse(path, "want a whole number from %d to %d, got %s", least, most, show(value))
		return
	}
	*into = int(n)
}

// number reads a finite number that is not negative; ok is false if there is none to use.
func (t table) number(key string) (n float64, ok bool) {
	value, path, ok := t.take(key)
	if !ok {
		return 0, false
	}
	n, ok = asNumber(value)
	if !ok || math.IsNaN(n) || n < 0 || n > maxNumber {
		t.r.refuse(path, "want a number from 0 to %.0f, got %s", maxNumber, show(value))
		return 0, false
	}
	return n, true
}

// maxNumber bounds amounts of money: more than that per call is a typing error, and sums stay finite.
const maxNumber = 1e6

func asNumber(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	default:
		return 0, false
	}
}

func (t table) duration(key string, into *time.Duration) {
	value, path, ok := t.take(key)
	if !ok {
		return
	}
	text, _ := value.(string)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.r.refuse(path, `want a duration above 0 such as "90s" or "20m", got %s`, show(value))
		return
	}
	*into = d
}

// choice reads one of a few words.
func choice[T ~string](t table, key string, into *T, allowed ...T) {
	var text string
	t.text(key, &text)
	if text == "" && !t.has(key) {
		return
	}
	if !slices.Contains(allowed, T(text)) {
		if _, isText := t.values[key].(string); isText {
			t.r.refuse(joinKey(t.path, key), "want %s, got %q", oneOf(allowed), text)
		}
		return
	}
	*into = T(text)
}

func oneOf[T ~string](words []T) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(string(word))
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// show quotes a value for a message, in short.
func show(value any) string {
	switch v := value.(type) {
	case string:
		if r := []rune(v); len(r) > 60 {
			v = string(r[:60]) + "…"
		}
		return strconv.Quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	default:
		return "a date or time"
	}
}
