package strict_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/strict"
)

// listOf is n different texts as JSON.
func listOf(n int) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(`"/a/%d"`, i)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// keysOf is an object with n keys.
func keysOf(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d":0`, i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func inArgs(args string) string {
	return `{"tool":"t","args":` + args + `,"session":{"id":"s"}}`
}

func inSession(field string) string {
	return `{"tool":"t","args":{},"session":{"id":"s",` + field + `}}`
}

// bounded has a body for each limit, given how many of a thing it holds.
var bounded = []struct {
	name  string
	limit int
	code  strict.Code
	body  func(n int) string
}{
	{"extra_dirs", strict.MaxExtraDirs, strict.CodeTooManyDirs, func(n int) string { return inSession(`"extra_dirs":` + listOf(n)) }},
	{"tools", strict.MaxTools, strict.CodeTooManyTools, func(n int) string { return inSession(`"tools":` + listOf(n)) }},
	{"capabilities", strict.MaxPeers, strict.CodeTooManyPeers, func(n int) string {
		return inSession(`"peers":[{"id":"p","capabilities":` + listOf(n) + `}]`)
	}},
	{"peers", strict.MaxPeers, strict.CodeTooManyPeers, func(n int) string {
		return inSession(`"peers":[` + strings.TrimSuffix(strings.Repeat(`{"id":"p"},`, n), ",") + `]`)
	}},
	{"argument keys", strict.MaxArgumentKeys, strict.CodeTooManyKeys, func(n int) string { return inArgs(keysOf(n)) }},
	{"argument keys, nested", strict.MaxArgumentKeys, strict.CodeTooManyKeys, func(n int) string {
		return inArgs(`{"a":[` + keysOf(n/2-1) + `,` + keysOf(n-n/2) + `]}`)
	}},
	{"paths", strict.MaxPaths, strict.CodeTooManyPaths, func(n int) string { return inArgs(`{"paths":` + listOf(n) + `}`) }},
	{"paths, in two lists", strict.MaxPaths, strict.CodeTooManyPaths, func(n int) string {
		return inArgs(`{"a":` + listOf(n/2) + `,"b":{"c":[` + listOf(n-n/2) + `]}}`)
	}},
}

// Every list of a call has a limit: at the limit the call is read, one above it is refused
// with the limit's code, and so is a call that a client's adapter made.
func TestACallHasLimits(t *testing.T) {
	for _, test := range bounded {
		t.Run(test.name, func(t *testing.T) {
			call, err := strict.DecodeCall([]byte(test.body(test.limit)))
			require.NoError(t, err)
			require.NoError(t, strict.CheckCall(call))

			_, err = strict.DecodeCall([]byte(test.body(test.limit + 1)))
			var refused *strict.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, test.code, refused.Code)
			assert.Contains(t, refused.Message, strings.Split(test.name, ",")[0])

			made := new(v1.Call)
			require.NoError(t, json.Unmarshal([]byte(test.body(test.limit+1)), made))
			require.ErrorAs(t, strict.CheckCall(made), &refused)
			assert.Equal(t, test.code, refused.Code)

			_, err = strict.DecodeBatch([]byte(`{"calls":[` + test.body(test.limit+1) + `]}`))
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, test.code, refused.Code)
			assert.True(t, strings.HasPrefix(refused.Pointer, "/calls/0/"), refused.Pointer)
		})
	}
}

// A registration has the limits of a session.
func TestASessionHasLimits(t *testing.T) {
	_, err := strict.DecodeSession([]byte(`{"id":"s","extra_dirs":` + listOf(strict.MaxExtraDirs) + `}`))
	require.NoError(t, err)
	_, err = strict.DecodeSession([]byte(`{"id":"s","extra_dirs":` + listOf(strict.MaxExtraDirs+1) + `}`))
	var refused *strict.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, strict.CodeTooManyDirs, refused.Code)
	assert.Equal(t, "/extra_dirs", refused.Pointer)
}

// A path has a length, so that no caller makes the server walk a million segments.
func TestAPathHasALength(t *testing.T) {
	long := strings.Repeat("/..", strict.MaxPathBytes)
	for _, body := range []string{
		`{"tool":"t","args":{},"cwd":"` + long + `","session":{"id":"s"}}`,
		inSession(`"project_dir":"` + long + `"`), inSession(`"session_dir":"` + long + `"`),
		inSession(`"home":"` + long + `"`), inSession(`"extra_dirs":["` + long + `"]`),
	} {
		_, err := strict.DecodeCall([]byte(body))
		var refused *strict.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, strict.CodeInvalid, refused.Code)
		assert.Contains(t, refused.Message, "bytes")
	}
}

// Names are kept for as long as sessions and prompts are, so they are short.
func TestANameHasALength(t *testing.T) {
	long := strings.Repeat("n", strict.MaxNameBytes+1)
	for _, body := range []string{
		`{"tool":"` + long + `","args":{},"session":{"id":"s"}}`,
		inSession(`"agent":"` + long + `"`), inSession(`"shell":"` + long + `"`), inSession(`"platform":"` + long + `"`),
		inSession(`"audience":"` + long + `"`), inSession(`"tools":["` + long + `"]`), inSession(`"peers":[{"id":"` + long + `"}]`),
		inSession(`"peers":[{"id":"p","capabilities":["` + long + `"]}]`),
	} {
		_, err := strict.DecodeCall([]byte(body))
		var refused *strict.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, strict.CodeInvalid, refused.Code)
		assert.Contains(t, refused.Message, "1024 bytes")
	}
}
