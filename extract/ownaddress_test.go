package extract_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// spellings are hosts that lead to this machine.
var spellings = []string{
	"127.0.0.1", "localhost", "LOCALHOST", "localhost.", "localhost.localdomain", "x.localhost", "127.1", "127.0.1", "2130706433",
	"0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.255.3.4", "0.0.0.0", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
	"[0:0:0:0:0:0:0:1]", "ip6-localhost",
}

func hasCaveat(facts v1.Facts, caveats ...string) bool {
	return slices.ContainsFunc(facts.Items, func(item v1.Item) bool { return slices.ContainsFunc(caveats, item.Caveats.Has) })
}

// P6: agents don't reach the sidecar, over whatever tool and however its address is spelled.
func TestTheOwnAddress(t *testing.T) {
	p := newPlace(t)
	for _, host := range append(spellings, "user:pw@127.0.0.1", "myhost", "example.com") {
		for _, address := range []string{"http://" + host + ":7483/v1/approvals", "HTTP://" + host + ":7483", "ws://" + host + ":07483/"} {
			for tool, args := range map[string]map[string]any{
				"WebFetch":        {"url": address, "prompt": "x"},
				"mcp__web__fetch": {"url": address},
				"mcp__web__get":   {"request": map[string]any{"headers": []any{"a"}, "target": "see " + address + " now"}},
				"Frobnicate":      {"x": address},
			} {
				assert.True(t, hasCaveat(p.facts(tool, args), "own_address"), "%s of %s", address, tool)
			}
			for _, line := range []string{
				"curl " + address, "curl -s --url=" + address, "a=" + address + "; curl \"$a\"", "wget -qO- " + address,
				"mytool --to=" + address, "python3 -c 'get(\"" + address + "\")'", "bash -c 'curl " + address + "'",
			} {
				if !strings.Contains(line, "[") || strings.Contains(line, "'") {
					assert.True(t, hasCaveat(p.facts("Bash", map[string]any{"command": line}), "own_address"), line)
				}
			}
		}
	}
	for _, line := range []string{
		"p=7483; curl 127.0.0.1:$p", "h=127.0.0.1; curl $h:7483", "curl 127.0.0.1:748{3,4}",
		"p=74; curl localhost:${p}83", "nc 127.0.0.1 7483", "nc localhost 07483", "telnet 0x7f000001 7483", "redis-cli -h localhost -p 7483",
		"ssh -p7483 127.1", "socat - TCP:127.0.0.1:7483", "mytool --host=localhost --port=7483", "cat < /dev/tcp/127.0.0.1/7483",
		"exec 3<>/dev/tcp/localhost/7483", "x=9; for p in 7483; do curl localhost:$p; done", "http :7483/v1", "curl -x 127.0.0.1:7483 http://a.example",
		"http_proxy=127.0.0.1:7483 curl http://a.example", "printf 1 | nc ::1 7483",
	} {
		assert.True(t, hasCaveat(p.facts("Bash", map[string]any{"command": line}), "own_address"), line)
	}
	for _, args := range []map[string]any{
		{"host": "localhost", "port": 7483},
		{"target": map[string]any{"h": "127.1", "p": "7483"}},
		{"x": "127.0.0.1:7483"},
		{"x": "connect to localhost:7483!"},
		{"url": "HTTP:127.0.0.1:7483"},
		{"url": "http:\t//127.0.0.1:7483"},
		{"url": "http://127.0.0.1\t:7483/"},
		{"url": "http://127.0.0.1:74\n83/"},
	} {
		assert.True(t, hasCaveat(p.facts("mcp__net__connect", args), "own_address"), args)
	}
}

// What doesn't lead there isn't the sidecar's.
func TestOtherAddresses(t *testing.T) {
	p := newPlace(t)
	for _, line := range []string{
		"curl http://127.0.0.1:8080/", "curl localhost:17483", "curl localhost:74830", "nc example.com 7483", "nc localhost 8080",
		"grep -rn 7483 docs", "echo http://127.0.0.1:7483", "sed -n 7483p a.txt",
	} {
		assert.False(t, hasCaveat(p.facts("Bash", map[string]any{"command": line}), "own_address"), line)
	}
	for _, args := range []map[string]any{
		{"url": "http://127.0.0.1:8080"}, {"text": "see extract.go:7483"}, {"port": 7483}, {"host": "db.example", "port": 7483},
	} {
		assert.False(t, hasCaveat(p.facts("mcp__net__connect", args), "own_address"), args)
	}
}

// V6: no approval covers a command of the network whose address only its run knows.
func TestAddressesThatOnlyTheRunKnows(t *testing.T) {
	p := newPlace(t)
	text, err := os.ReadFile("../policies/policyd/config/caveats/data.json")
	require.NoError(t, err)
	var tolerated map[string]map[string]bool
	require.NoError(t, json.Unmarshal(text, &tolerated))
	approved := tolerated["approvals_anywhere"]
	require.NotEmpty(t, approved)
	for _, program := range []string{"curl -s", "wget -q", "nc", "ssh", "http", "mytool", "git clone", "scp a", "rsync a", "telnet", "socat -", "psql -h"} {
		for _, address := range []string{
			"127.0.0.1:$p", "$a", "127.0.0.1:$(cat port)", "localhost:`echo 1`", "127.0.0.1:$((x+1))", "127.0.0.1:$((7000+483))", "'127.0.0.1:[7480-7489]'", "'127.0.0.1:{7483,1}'", "http://127.0.0.1:$RANDOM/", "127.0.0.1:$#",
			"127.0.0.1:74?3", "127.0.0.1:${#a}", "127.0.0.1:$(git rev-parse HEAD)", "127.0.0.1:$(ls | wc -l)",
		} {
			line := program + " " + address
			facts := p.facts("Bash", map[string]any{"command": line})
			covered := facts.Complete && !facts.Messy
			for _, item := range facts.Items {
				for _, caveat := range item.Caveats {
					covered = covered && approved[caveat]
				}
			}
			assert.False(t, covered, line)
		}
	}
}

// P6: agents don't reach the console either.
func TestTheConsolesAddress(t *testing.T) {
	p := newPlace(t)
	for _, host := range spellings {
		assert.True(t, hasCaveat(p.facts("WebFetch", map[string]any{"url": "http://" + host + ":7484/console/", "prompt": "x"}), "own_address"), host)
	}
	for _, line := range []string{"curl localhost:7484/console/answer", "nc 127.0.0.1 7484", "chromium http://127.0.0.1:7484/console/", "cat < /dev/tcp/127.0.0.1/7484"} {
		assert.True(t, hasCaveat(p.facts("Bash", map[string]any{"command": line}), "own_address"), line)
	}
	assert.False(t, hasCaveat(p.facts("Bash", map[string]any{"command": "curl localhost:7485"}), "own_address"))
}
