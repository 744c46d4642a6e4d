// Package certificates keeps the server's certificate and the authorities of its clients, and reloads them
// while the server runs.
//
// A pair that can't be used never replaces one that can: it is an error, and what was active stays. What is
// active was whole when it was read: the key fits the certificate, and the time is within its validity.
package certificates

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"policyd/internal/secretfile"
)

// Options name the files, all in PEM.
type Options struct {
	Cert, Key string
	// ClientCA holds the authorities of client certificates; empty for none.
	ClientCA string
	// ClientAuth states whether clients show a certificate.
	ClientAuth tls.ClientAuthType
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Store keeps what is active. It may be used concurrently.
type Store struct {
	options Options
	current atomic.Pointer[inForce]

	mu     sync.Mutex // locked while files are read
	failed atomic.Pointer[error]
}

// inForce is one set of files, read. It doesn't change.
type inForce struct {
	digest [sha256.Size]byte
	config *tls.Config
	until  time.Time
	// authorities are the digests of the certificates in ClientCA.
	authorities map[[sha256.Size]byte]bool
}

// Open reads the files. An unusable file is an error: a server can't run without its certificate.
func Open(options Options) (*Store, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Store{options: options}
	if _, err := s.Reload(); err != nil {
		return nil, err
	}
	return s, nil
}

// Reload reads the files again. changed is true if the new content differs and is now active. On an error the
// old content stays active.
func (s *Store) Reload() (changed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	read, err := s.read()
	if err != nil {
		s.failed.Store(&err)
		return false, err
	}
	s.failed.Store(nil)
	if before := s.current.Load(); before != nil && before.digest == read.digest {
		return false, nil
	}
	s.current.Store(read)
	return true, nil
}

// Config returns the configuration of a listener. Each handshake uses the certificates that are active then.
func (s *Store) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return s.current.Load().config, nil
		},
	}
}

// Until is when the certificate active ends.
func (s *Store) Until() time.Time { return s.current.Load().until }

// Fault is why the files, as they were read last, are not active; nil when they are. An old certificate that
// has ended is a fault, too.
func (s *Store) Fault() error {
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	if until := s.Until(); s.options.Now().After(until) {
		return fmt.Errorf("check certificate: %s ended at %s", s.options.Cert, until.UTC().Format(time.RFC3339))
	}
	return nil
}

// Client returns the certificate that a client showed. It is nil if there is none or it is no longer valid:
// it expired, or its authority was removed while the connection was open.
func (s *Store) Client(state *tls.ConnectionState) *x509.Certificate {
	if state == nil || len(state.VerifiedChains) == 0 {
		return nil
	}
	leaf := state.VerifiedChains[0][0]
	if now := s.options.Now(); now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		return nil
	}
	authorities := s.current.Load().authorities
	for _, chain := range state.VerifiedChains {
		if authorities[sha256.Sum256(chain[len(chain)-1].Raw)] {
			return leaf
		}
	}
	return nil
}

func (s *Store) read() (*inForce, error) {
	cert, err := os.ReadFile(s.options.Cert)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	key, err := secretfile.Read(s.options.Key)
	if err != nil {
		return nil, fmt.Errorf("read key of certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		// The error gives the reason, and never the content of the key.
		return nil, fmt.Errorf("read certificate %s with key %s: %w", s.options.Cert, s.options.Key, err)
	}
	now := s.options.Now()
	if now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return nil, fmt.Errorf("read certificate: %s holds from %s to %s, and it is %s", s.options.Cert,
			pair.Leaf.NotBefore.UTC().Format(time.RFC3339), pair.Leaf.NotAfter.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	made := &inForce{until: pair.Leaf.NotAfter, authorities: map[[sha256.Size]byte]bool{}, config: &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientAuth: s.options.ClientAuth,
		NextProtos: []string{"http/1.1"},
		// A resumed session would bypass the check against the current authorities.
		SessionTicketsDisabled: true,
	}}
	digest := sha256.New()
	parts := [][]byte{cert, key}
	if s.options.ClientCA != "" {
		authorities, err := os.ReadFile(s.options.ClientCA)
		if err != nil {
			return nil, fmt.Errorf("read authorities of clients: %w", err)
		}
		if err := made.trust(authorities); err != nil {
			return nil, fmt.Errorf("read authorities of clients: %s: %w", s.options.ClientCA, err)
		}
		parts = append(parts, authorities)
	}
	for _, part := range parts {
		sum := sha256.Sum256(part)
		_, _ = digest.Write(sum[:]) // a hash never fails
	}
	copy(made.digest[:], digest.Sum(nil))
	return made, nil
}

// trust adds every certificate of a PEM text. It refuses a text with an unreadable part: an authority that is
// skipped in silence locks its clients out.
func (f *inForce) trust(text []byte) error {
	pool := x509.NewCertPool()
	for rest := text; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("a block of type %q; only certificates belong here", block.Type)
		}
		authority, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("parse certificate: %w", err)
		}
		pool.AddCert(authority)
		f.authorities[sha256.Sum256(authority.Raw)] = true
	}
	if len(f.authorities) == 0 {
		return errors.New("holds no certificate in PEM")
	}
	f.config.ClientCAs = pool
	return nil
}
