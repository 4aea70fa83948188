package gitops

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// go-git v5 fixes the size of a name at 20 bytes.
// This file is the same object model for repositories whose names have 32.

// wideName is the SHA-256 name of an object: the digest of its type, length and content.
func wideName(kind string, content []byte) ID {
	digest := sha256.New()
	fmt.Fprintf(digest, "%s %d\x00", kind, len(content))
	digest.Write(content)
	return ID(hex.EncodeToString(digest.Sum(nil)))
}

func decodeWideTree(id ID, raw []byte) ([]Entry, error) {
	var entries []Entry
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, hasName := bytes.Cut(head, []byte(" "))
		if !ok || !hasName || len(name) == 0 || len(rest) < sha256.Size {
			return nil, fmt.Errorf("tree %s: malformed entry", id.Short())
		}
		m, err := parseMode(string(mode))
		if err != nil {
			return nil, fmt.Errorf("tree %s: %w", id.Short(), err)
		}
		entries = append(entries, Entry{Name: string(name), Mode: m, ID: ID(hex.EncodeToString(rest[:sha256.Size]))})
		raw = rest[sha256.Size:]
	}
	return entries, nil
}

func encodeWideTree(sorted []Entry) ([]byte, error) {
	var content bytes.Buffer
	for _, e := range sorted {
		name, err := hex.DecodeString(string(e.ID))
		if err != nil {
			return nil, fmt.Errorf("name of %q: %w", e.Name, err)
		}
		fmt.Fprintf(&content, "%o %s\x00%s", uint32(e.Mode), e.Name, name)
	}
	return content.Bytes(), nil
}
