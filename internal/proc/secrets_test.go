package proc_test

import (
	"os"
	"slices"
	"testing"

	"github.com/agentd/gh-agentd/internal/proc"
)

func TestSecretsIn_AG24(t *testing.T) {
	const value = "canary-0123456789"
	for _, entry := range []string{
		"GH_TOKEN=" + value, "CLIENT_SECRET_ID=" + value, "db_password=" + value, "DB_PASSWD=" + value, "GPG_PASSPHRASE=" + value,
		"ACME_API_KEY=" + value, "ACMEAPIKEY=" + value, "S3_ACCESS_KEY=" + value, "APP_PRIVATE_KEY=" + value, "AWS_CREDENTIALS=" + value,
		"STRIPE_KEY=" + value, "NPM_AUTH=" + value, "DB_PASS=" + value, "MAIL_PASS=correcthorse", "SLASH_KEY=/" + value,
	} {
		if len(proc.SecretsIn([]string{"LANG=C", entry})) != 1 {
			t.Errorf("%s is not taken for a secret", entry)
		}
	}
	for _, entry := range []string{
		"SSH_AUTH_SOCK=" + value, "KEYBOARD=" + value, "AUTHOR=" + value, "COMPASS=" + value,
		"SORT_KEY=created_at", "PROXY_AUTH=negotiate", "HOST_KEY=~/.ssh/id_ed25519", "GOOGLE_APPLICATION_CREDENTIALS=" + os.DevNull,
	} {
		if secrets := proc.SecretsIn([]string{entry}); len(secrets) != 0 {
			t.Errorf("%s is taken for a secret", entry)
		}
	}
	want := []proc.Secret{{Name: "A_KEY", Value: "a=b1"}, {Name: "B_KEY", Value: "2"}}
	if got := proc.SecretsIn([]string{"A_KEY=a=b1", "PATH=/bin", "B_KEY=2"}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
