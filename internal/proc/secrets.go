package proc

import (
	"os"
	"path/filepath"
	"strings"
)

// Secret is a value that must never be shown, logged or committed, and the name of the variable that holds it.
type Secret struct{ Name, Value string }

// secretWords say of a variable, wherever they stand in its name, that it is secret. secretEndings say so at its end.
var (
	secretWords   = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"}
	secretEndings = []string{"_PASS", "_KEY", "_AUTH"}
)

// SecretsIn are the secrets of an environment, told by the names of its variables.
// The values may be short: who blanks or refuses them says which length is no accident.
func SecretsIn(environ []string) []Secret {
	var secrets []Secret
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if saysSecret(strings.ToUpper(name), value) && !isPath(value) {
			secrets = append(secrets, Secret{Name: name, Value: value})
		}
	}
	return secrets
}

func saysSecret(name, value string) bool {
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	for _, ending := range secretEndings {
		if strings.HasSuffix(name, ending) {
			return ending == "_PASS" || !isPlainWord(value)
		}
	}
	return false
}

// isPlainWord spares SORT_KEY=created_at and PROXY_AUTH=negotiate: much is called a key that opens nothing.
func isPlainWord(value string) bool {
	return strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_-. ") == ""
}

// isPath spares GOOGLE_APPLICATION_CREDENTIALS=/home/…, which is printed everywhere.
// Some keys begin with a slash as well, but name no file.
func isPath(value string) bool {
	_, err := os.Lstat(value)
	return strings.HasPrefix(value, "~/") || filepath.IsAbs(value) && err == nil
}
