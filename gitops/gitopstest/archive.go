package gitopstest

import "strings"

// file is one file of an archive.
type file struct{ name, content string }

// parseArchive reads the txtar format: a line "-- name --" begins a file that goes to the next such line.
// What stands before the first one is a comment.
func parseArchive(archive string) []file {
	var files []file
	for text := range strings.Lines(archive) {
		name, isName := strings.CutPrefix(strings.TrimSpace(text), "-- ")
		if name, closed := strings.CutSuffix(name, " --"); isName && closed {
			files = append(files, file{name: name})
			continue
		}
		if len(files) > 0 {
			files[len(files)-1].content += text
		}
	}
	return files
}
