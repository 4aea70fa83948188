package modeltest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// lastData is the data of the last event of a stream.
func lastData(stream string) string {
	_, data, _ := strings.Cut(stream[strings.LastIndex(stream, "\ndata: "):], "data: ")
	return strings.TrimSpace(data)
}

// dataOf is the data of the named event.
func dataOf(stream, event string) string {
	_, rest, _ := strings.Cut(stream, "event: "+event+"\ndata: ")
	data, _, _ := strings.Cut(rest, "\n")
	return data
}

func mustDecode(t *testing.T, data string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), into); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
