package signin_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/signin"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// issuer is a provider on loopback that signs whatever claims a test wants.
type issuer struct {
	*httptest.Server
	key    *rsa.PrivateKey
	claims map[string]any
	// header and sign make the token; the usual ones are RS256's.
	header map[string]string
	sign   func(signed []byte) []byte
	// named is the issuer that discovery names.
	named string
	// codes are the challenges of codes that can be exchanged, each once.
	codes map[string]string
	// authorization is that of the last exchange.
	authorization string
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	i := &issuer{key: key, header: map[string]string{"alg": "RS256", "kid": "1"}, codes: map[string]string{}}
	i.sign = func(signed []byte) []byte {
		sum := sha256.Sum256(signed)
		out, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
		require.NoError(t, err)
		return out
	}
	reply := func(w http.ResponseWriter, value any) {
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(value))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": i.named, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", "n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		challenge, known := i.codes[r.FormValue("code")]
		delete(i.codes, r.FormValue("code"))
		i.authorization = r.Header.Get("Authorization")
		if !known || challenge != encode(sum[:]) {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		reply(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": i.token(t)})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	i.named = i.URL
	i.claims = map[string]any{
		"iss": i.URL, "aud": "policyd", "sub": "u-1", "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(), "nonce": "the nonce",
		"groups": []string{"other", "ops"}, "email": "alice@example.org", "email_verified": true,
	}
	return i
}

func (i *issuer) token(t *testing.T) string {
	t.Helper()
	header, err := json.Marshal(i.header)
	require.NoError(t, err)
	claims, err := json.Marshal(i.claims)
	require.NoError(t, err)
	signed := encode(header) + "." + encode(claims)
	return signed + "." + encode(i.sign([]byte(signed)))
}

func (i *issuer) provider() *signin.Provider {
	return signin.New(signin.Options{
		Issuer: i.URL, Client: "policyd", Secret: "s3cret", Scopes: []string{"email", "groups"}, Claim: "groups", Groups: []string{"ops", "sre"},
		Back: func() string { return "http://127.0.0.1:7484/console/signin/callback" }, Clock: func() time.Time { return now },
	})
}

// signIn does what a browser and the provider's page do, and finishes with a nonce and a verifier.
func signIn(t *testing.T, i *issuer, nonce, verifier string) (string, error) {
	t.Helper()
	p := i.provider()
	address, err := p.Begin(t.Context(), "the state", "the nonce", "the verifier")
	require.NoError(t, err)
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	query := parsed.Query()
	assert.Equal(t, i.URL+"/auth", parsed.Scheme+"://"+parsed.Host+parsed.Path)
	for key, want := range map[string]string{
		"state": "the state", "nonce": "the nonce", "code_challenge_method": "S256", "response_type": "code", "client_id": "policyd",
		"redirect_uri": "http://127.0.0.1:7484/console/signin/callback", "scope": "openid email groups",
	} {
		assert.Equal(t, want, query.Get(key), key)
	}
	assert.NotContains(t, address, "verifier")
	i.codes["the code"] = query.Get("code_challenge")
	return p.Finish(t.Context(), "the code", nonce, verifier)
}

// TestWhoHasSignedIn checks who a person is.
func TestWhoHasSignedIn(t *testing.T) {
	for name, of := range map[string]struct {
		changed map[string]any
		want    string
	}{
		"a checked address":           {nil, "alice@example.org"},
		"checked, as a text":          {map[string]any{"email_verified": "true"}, "alice@example.org"},
		"an address of anybody's":     {map[string]any{"email_verified": false}, "oidc:u-1"},
		"one that nobody spoke of":    {map[string]any{"email_verified": nil}, "oidc:u-1"},
		"no address":                  {map[string]any{"email": nil}, "oidc:u-1"},
		"one group, as a text":        {map[string]any{"groups": "sre"}, "alice@example.org"},
		"several clients, and for us": {map[string]any{"aud": []string{"other", "policyd"}, "azp": "policyd"}, "alice@example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t)
			maps.Copy(i.claims, of.changed)
			got, err := signIn(t, i, "the nonce", "the verifier")
			require.NoError(t, err)
			assert.Equal(t, of.want, got)
			assert.NotEmpty(t, i.authorization, "the client's secret")
		})
	}
}

// TestWhoHasNotSignedIn checks every way in which a token isn't one of this issuer, client, sign-in, time and
// group.
func TestWhoHasNotSignedIn(t *testing.T) {
	for name, of := range map[string]struct {
		changed         map[string]any
		header          map[string]string
		sign            func(signed []byte) []byte
		nonce, verifier string
		want            string
	}{
		"another issuer":     {changed: map[string]any{"iss": "https://evil.example"}, want: "verify ID token"},
		"another client":     {changed: map[string]any{"aud": "other"}, want: "verify ID token"},
		"several clients":    {changed: map[string]any{"aud": []string{"policyd", "other"}}, want: "another client"},
		"authorized another": {changed: map[string]any{"azp": "other"}, want: "another client"},
		"expired":            {changed: map[string]any{"exp": now.Add(-time.Second).Unix()}, want: "expired"},
		"of the future":      {changed: map[string]any{"nbf": now.Add(time.Hour).Unix()}, want: "verify ID token"},
		"another sign-in's":  {nonce: "another", want: "another sign-in"},
		"no nonce":           {changed: map[string]any{"nonce": nil}, want: "another sign-in"},
		"another browser's":  {verifier: "another", want: "exchange code"},
		"nobody":             {changed: map[string]any{"sub": ""}, want: "names nobody"},
		"no group of ours":   {changed: map[string]any{"groups": []string{"other", "OPS", "ops "}}, want: signin.ErrNoGroup.Error()},
		"no groups":          {changed: map[string]any{"groups": nil}, want: signin.ErrNoGroup.Error()},
		"groups of no kind":  {changed: map[string]any{"groups": map[string]string{"ops": "ops"}}, want: signin.ErrNoGroup.Error()},
		"unsigned":           {header: map[string]string{"alg": "none"}, sign: func([]byte) []byte { return nil }, want: "verify ID token"},
		"signed by nobody":   {sign: func([]byte) []byte { return make([]byte, 256) }, want: "verify ID token"},
		"signed with the secret": {header: map[string]string{"alg": "HS256"}, sign: func(signed []byte) []byte {
			mac := hmac.New(sha256.New, []byte("s3cret"))
			mac.Write(signed)
			return mac.Sum(nil)
		}, want: "verify ID token"},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t)
			maps.Copy(i.claims, of.changed)
			if of.header != nil {
				i.header = of.header
			}
			if of.sign != nil {
				i.sign = of.sign
			}
			nonce, verifier := "the nonce", "the verifier"
			if of.nonce != "" {
				nonce = of.nonce
			}
			if of.verifier != "" {
				verifier = of.verifier
			}
			got, err := signIn(t, i, nonce, verifier)
			require.ErrorContains(t, err, of.want)
			assert.Empty(t, got)
		})
	}
}

// TestAProviderIsTheConfiguredOne checks that a provider which names another issuer, moves away, or isn't there
// signs nobody in, and that it is asked again.
func TestAProviderIsTheConfiguredOne(t *testing.T) {
	i := newIssuer(t)
	p := i.provider()
	i.named = "https://evil.example"
	_, err := p.Begin(t.Context(), "s", "n", "v")
	require.Error(t, err)
	i.named = i.URL
	_, err = p.Begin(t.Context(), "s", "n", "v")
	require.NoError(t, err)
	_, err = p.Finish(t.Context(), "a code that nobody gave", "n", "v")
	require.ErrorContains(t, err, "exchange code")
	moved := httptest.NewServer(http.RedirectHandler(i.URL+"/.well-known/openid-configuration", http.StatusFound))
	t.Cleanup(moved.Close)
	i.named = moved.URL
	_, err = signin.New(signin.Options{Issuer: moved.URL}).Begin(t.Context(), "s", "n", "v")
	require.Error(t, err)
	moved.Close()
	_, err = signin.New(signin.Options{Issuer: moved.URL}).Finish(t.Context(), "c", "n", "v")
	require.Error(t, err)
}
