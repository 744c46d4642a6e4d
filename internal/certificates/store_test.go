package certificates_test

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/certificates"
	"policyd/internal/secretfile"
	"policyd/test/authority"
)

// options name the files in a directory, and write them.
func options(t *testing.T, dir string, ca *authority.Authority) certificates.Options {
	t.Helper()
	ca.Issue(t, "first").Write(t, dir)
	authority.Put(t, filepath.Join(dir, "ca.crt"), ca.PEM)
	return certificates.Options{
		Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key"), ClientCA: filepath.Join(dir, "ca.crt"),
		ClientAuth: tls.RequireAndVerifyClientCert,
	}
}

// shake shakes hands and returns what each side knows of the other.
func shake(t *testing.T, store *certificates.Store, client *tls.Config) (server, seen tls.ConnectionState, err error) {
	t.Helper()
	left, right := net.Pipe()
	defer left.Close()
	defer right.Close()
	served := tls.Server(left, store.Config())
	done := make(chan error, 1)
	go func() { done <- served.HandshakeContext(t.Context()) }()
	connected := tls.Client(right, client)
	failed := connected.HandshakeContext(t.Context())
	_ = right.Close() // a server that still waits has nobody to wait for
	return served.ConnectionState(), connected.ConnectionState(), errors.Join(failed, <-done)
}

func TestAPairIsReplacedWhileItServes(t *testing.T) {
	ca, dir := authority.New(t, "authority"), t.TempDir()
	store, err := certificates.Open(options(t, dir, ca))
	require.NoError(t, err)
	client := &tls.Config{RootCAs: ca.Pool(), ServerName: "localhost", Certificates: []tls.Certificate{ca.Issue(t, "alice").TLS(t)}}
	_, seen, err := shake(t, store, client)
	require.NoError(t, err)
	assert.Equal(t, "first", seen.PeerCertificates[0].Subject.CommonName)

	changed, err := store.Reload()
	require.NoError(t, err)
	assert.False(t, changed, "nothing was written")
	ca.Issue(t, "second").Write(t, dir)
	changed, err = store.Reload()
	require.NoError(t, err)
	assert.True(t, changed)
	_, seen, err = shake(t, store, client)
	require.NoError(t, err)
	assert.Equal(t, "second", seen.PeerCertificates[0].Subject.CommonName)
}

// TestABrokenPairKeepsTheOldOne checks each way in which a pair can be broken.
func TestABrokenPairKeepsTheOldOne(t *testing.T) {
	ca := authority.New(t, "authority")
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"half a certificate": func(t *testing.T, dir string) {
			authority.Put(t, filepath.Join(dir, "tls.crt"), ca.Issue(t, "x").Cert[:100])
		},
		"another's key": func(t *testing.T, dir string) {
			authority.Put(t, filepath.Join(dir, "tls.key"), ca.Issue(t, "x").Key)
		},
		"ended": func(t *testing.T, dir string) {
			ca.Issue(t, "x", authority.Until(time.Now().Add(-time.Hour))).Write(t, dir)
		},
		"a day too early": func(t *testing.T, dir string) {
			ca.Issue(t, "x", authority.Until(time.Now().Add(48*time.Hour))).Write(t, dir)
		},
		"an open key": func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, "tls.key"), 0o644))
		},
		"no key": func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "tls.key"))) },
		"no authority": func(t *testing.T, dir string) {
			authority.Put(t, filepath.Join(dir, "ca.crt"), []byte("nothing"))
		},
		"a key for an authority": func(t *testing.T, dir string) {
			authority.Put(t, filepath.Join(dir, "ca.crt"), append(append([]byte{}, ca.PEM...), ca.Issue(t, "x").Key...))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			given := options(t, dir, ca)
			store, err := certificates.Open(given)
			require.NoError(t, err)
			require.NoError(t, store.Fault())
			spoil(t, dir)
			changed, err := store.Reload()
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "-----", "no part of a file is shown")
			assert.False(t, changed)
			require.Error(t, store.Fault())
			_, seen, err := shake(t, store, &tls.Config{
				RootCAs: ca.Pool(), ServerName: "localhost", Certificates: []tls.Certificate{ca.Issue(t, "alice").TLS(t)},
			})
			require.NoError(t, err)
			assert.Equal(t, "first", seen.PeerCertificates[0].Subject.CommonName)

			_, err = certificates.Open(given)
			require.Error(t, err, "nobody starts with it")
			ca.Issue(t, "mended").Write(t, dir)
			authority.Put(t, filepath.Join(dir, "ca.crt"), ca.PEM)
			changed, err = store.Reload()
			require.NoError(t, err)
			assert.True(t, changed)
			assert.NoError(t, store.Fault())
		})
	}
}

func TestAnOpenKeyIsRefusedByItsMode(t *testing.T) {
	given := options(t, t.TempDir(), authority.New(t, "authority"))
	require.NoError(t, os.Chmod(given.Key, 0o640))
	_, err := certificates.Open(given)
	var open *secretfile.ModeError
	require.ErrorAs(t, err, &open)
	assert.Equal(t, given.Key, open.Path)
}

// TestADroppedAuthorityEndsItsClients checks that a connection that stays open proves nothing once its
// authority is gone.
func TestADroppedAuthorityEndsItsClients(t *testing.T) {
	ca, dir := authority.New(t, "authority"), t.TempDir()
	store, err := certificates.Open(options(t, dir, ca))
	require.NoError(t, err)
	client := &tls.Config{RootCAs: ca.Pool(), ServerName: "localhost", Certificates: []tls.Certificate{ca.Issue(t, "alice").TLS(t)}}
	state, _, err := shake(t, store, client)
	require.NoError(t, err)
	require.NotNil(t, store.Client(&state))
	assert.Equal(t, "alice", store.Client(&state).Subject.CommonName)

	other := authority.New(t, "other")
	authority.Put(t, filepath.Join(dir, "ca.crt"), append(append([]byte{}, ca.PEM...), other.PEM...))
	_, err = store.Reload()
	require.NoError(t, err)
	assert.NotNil(t, store.Client(&state), "its authority is still one of two")
	authority.Put(t, filepath.Join(dir, "ca.crt"), other.PEM)
	_, err = store.Reload()
	require.NoError(t, err)
	assert.Nil(t, store.Client(&state))
	_, _, err = shake(t, store, client)
	require.Error(t, err, "a new connection is refused as well")
}

func TestAClientsCertificateEnds(t *testing.T) {
	ca, now := authority.New(t, "authority"), time.Now()
	given := options(t, t.TempDir(), ca)
	given.Now = func() time.Time { return now }
	store, err := certificates.Open(given)
	require.NoError(t, err)
	state, _, err := shake(t, store, &tls.Config{
		RootCAs: ca.Pool(), ServerName: "localhost",
		Certificates: []tls.Certificate{ca.Issue(t, "alice", authority.Until(now.Add(time.Hour))).TLS(t)},
	})
	require.NoError(t, err)
	require.NotNil(t, store.Client(&state))
	now = now.Add(2 * time.Hour)
	assert.Nil(t, store.Client(&state))
	require.NoError(t, store.Fault())
	now = now.Add(24 * time.Hour)
	assert.ErrorContains(t, store.Fault(), "ended at")
	assert.Nil(t, store.Client(nil))
	assert.Nil(t, store.Client(&tls.ConnectionState{}))
}
