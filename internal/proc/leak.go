package proc

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Leak says why a text may give a secret away, "" where nothing speaks for it.
//
// It is stricter than [Redactor.Find], for a text that leaves the machine for good: beside known values and known shapes
// it finds values that stand there in pieces, also with words between them, reversed, in hexadecimal or in base64,
// and words that look as random as only keys do.
func (r *Redactor) Leak(text string) string {
	if r.Find([]byte(text)) {
		return "it holds a known secret, or a token of a known shape"
	}
	squeezed := []byte(squeeze(text))
	for _, value := range r.values {
		if slices.ContainsFunc(disguises(value), func(form string) bool { return bytes.Contains(squeezed, []byte(form)) }) {
			return "it holds a known secret in disguise"
		}
		if slices.ContainsFunc(disguises(value), func(form string) bool { return scattered(form, string(squeezed)) }) {
			return "it holds the pieces of a known secret"
		}
	}
	for _, at := range words.FindAllStringIndex(text, -1) {
		if word := text[at[0]:at[1]]; looksRandom(word) && !isDigest(text[:at[0]], word) {
			return "it holds a word that looks like a key"
		}
	}
	return ""
}

// shortestDisguise is the least length of a squeezed form: a shorter one stands in a long text by chance.
const shortestDisguise = 12

// shortestPiece is the least length of a piece that is looked for by itself: of what is shorter, words are made.
const shortestPiece = 6

// scattered says whether the pieces of a form stand in a text one after the other, whatever is between them.
// Three quarters of it are enough, so that a piece too short to be looked for does not hide the rest.
// Pieces in another order are not found, nor any that are all shorter.
func scattered(form, text string) bool {
	const enough, of = 3, 4
	held := 0
	for from := 0; from+shortestPiece <= len(form); {
		at, size := strings.Index(text, form[from:from+shortestPiece]), shortestPiece
		if at < 0 {
			from++
			continue
		}
		for from+size < len(form) {
			longer := strings.Index(text[at:], form[from:from+size+1])
			if longer < 0 {
				break
			}
			at, size = at+longer, size+1
		}
		from, held, text = from+size, held+size, text[at+size:]
	}
	return held*of >= len(form)*enough
}

// disguises are the squeezed forms of a value that a text may hold. Base64 has three, by where in a group it begins;
// of each only the middle is looked for, which does not depend on what stands around it.
func disguises(value []byte) []string {
	reversed := slices.Clone(value)
	slices.Reverse(reversed)
	forms := []string{string(value), string(reversed), hex.EncodeToString(value), strings.ToUpper(hex.EncodeToString(value))}
	for shift := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), value...))
		const group = 4
		if len(encoded) > 2*group {
			forms = append(forms, encoded[group:len(encoded)-group])
		}
	}
	for i := range forms {
		forms[i] = squeeze(forms[i])
	}
	return slices.DeleteFunc(forms, func(form string) bool { return len(form) < shortestDisguise })
}

// squeeze leaves letters and digits only: blanks, quotes and dots between the pieces of a secret hide nothing,
// nor which of its two alphabets base64 uses.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, text)
}

var (
	words  = regexp.MustCompile(`[A-Za-z0-9+=_-]{36,}`)
	hexish = regexp.MustCompile(`^[0-9a-fA-F-]+$`) // ids of objects, digests, UUIDs
)

// isDigest spares what go.sum, lock files and ssh write before and into the digests that everybody may see.
func isDigest(before, word string) bool {
	return strings.HasSuffix(before, "h1:") || strings.HasSuffix(before, "SHA256:") ||
		strings.HasPrefix(word, "sha256-") || strings.HasPrefix(word, "sha384-") || strings.HasPrefix(word, "sha512-")
}

// looksRandom tells keys from long names: those are made of words, and repeat their letters.
func looksRandom(word string) bool {
	const mostEntropy, fewDigits = 4.5, 4
	has := func(from, to byte) int {
		n := 0
		for i := range len(word) {
			if from <= word[i] && word[i] <= to {
				n++
			}
		}
		return n
	}
	return !hexish.MatchString(word) && has('A', 'Z') > 0 && has('a', 'z') > 0 && has('0', '9') >= fewDigits && entropy(word) > mostEntropy
}

// entropy is how many bits one character of a word tells.
func entropy(word string) float64 {
	counts := map[byte]int{}
	for i := range len(word) {
		counts[word[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		share := float64(n) / float64(len(word))
		bits -= share * math.Log2(share)
	}
	return bits
}
