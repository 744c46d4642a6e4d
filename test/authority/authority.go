// Package authority makes certificates for tests: an authority, and what it signs.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// PEM is the authority's own certificate.
	PEM []byte
}

// Pair is a certificate with its key, in PEM.
type Pair struct{ Cert, Key []byte }

// Change changes a certificate before it is signed.
type Change func(*x509.Certificate)

// New makes an authority.
func New(t *testing.T, name string) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: serial(t), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	return &Authority{certificate: certificate, key: key, PEM: block("CERTIFICATE", raw)}
}

// Issue signs a certificate for 127.0.0.1 and localhost, for servers and clients.
func (a *Authority) Issue(t *testing.T, name string, changes ...Change) Pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: serial(t), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(12 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	for _, change := range changes {
		change(template)
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	require.NoError(t, err)
	der, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	return Pair{Cert: block("CERTIFICATE", raw), Key: block("EC PRIVATE KEY", der)}
}

// URI adds an alternative name to a certificate.
func URI(t *testing.T, name string) Change {
	t.Helper()
	parsed, err := url.Parse(name)
	require.NoError(t, err)
	return func(template *x509.Certificate) { template.URIs = append(template.URIs, parsed) }
}

// Until sets when a certificate ends.
func Until(end time.Time) Change {
	return func(template *x509.Certificate) { template.NotBefore, template.NotAfter = end.Add(-24*time.Hour), end }
}

// Pool trusts the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// TLS is the pair as a client shows it.
func (p Pair) TLS(t *testing.T) tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	require.NoError(t, err)
	return pair
}

// Write puts the pair into a directory as tls.crt and tls.key, each at once.
func (p Pair) Write(t *testing.T, dir string) {
	t.Helper()
	Put(t, filepath.Join(dir, "tls.crt"), p.Cert)
	Put(t, filepath.Join(dir, "tls.key"), p.Key)
}

// Put replaces a file at once, readable by its owner alone.
func Put(t *testing.T, name string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(name+".new", content, 0o600))
	require.NoError(t, os.Rename(name+".new", name))
}

func serial(t *testing.T) *big.Int {
	t.Helper()
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	require.NoError(t, err)
	return number
}

func block(kind string, raw []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw})
}
