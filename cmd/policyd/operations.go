package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"policyd/internal/certificates"
	"policyd/internal/config"
	"policyd/internal/quota"
	"policyd/internal/secretfile"
	"policyd/internal/server"
	"policyd/internal/sidecar"
)

// operations are the parts of a server that change while it runs: who is let in.
type operations struct {
	settings *settings
	logger   *slog.Logger
	tokens   *server.TokenFiles
	// certificates is nil if the address is served in plain text.
	certificates *certificates.Store
	connections  *server.Connections
	// policy is nil until a sidecar decides.
	policy *sidecar.Policy
	// loggedFaults are the faults that the log has, by the part that they are of.
	loggedFaults map[string]string
	// hidden are tokens that records and prompts must not contain.
	hidden []string
}

// looking is the interval of reading files again. They are compared by content, so the way of replacing them
// doesn't matter: swapped links, as Kubernetes uses, mounts and network file systems have no or other events.
const looking = time.Second

func newOperations(s *settings, logger *slog.Logger) (*operations, error) {
	o := &operations{settings: s, logger: logger, loggedFaults: map[string]string{}}
	o.connections = server.NewConnections(connectionLimit(s.Limits.Connections, descriptorLimit()))
	var err error
	// Tokens first: they make the state directory private before anything is in it.
	if o.tokens, err = server.OpenTokenFiles(s.StateDir, tokenFiles(s)); err != nil {
		return nil, failed(err, tokenHint(err))
	}
	if s.TLS.Cert == "" {
		return o, nil
	}
	if o.certificates, err = certificates.Open(certificateOptions(s)); err != nil {
		return nil, failed(err, certificateHint)
	}
	return o, nil
}

func tokenFiles(s *settings) []server.TokenFile {
	files := make([]server.TokenFile, 0, len(s.Tokens))
	for _, token := range s.Tokens {
		files = append(files, server.TokenFile{Principal: server.Principal{Name: token.Name, Role: server.Role(token.Role)}, File: token.File})
	}
	return files
}

func certificateOptions(s *settings) certificates.Options {
	return certificates.Options{
		Cert: s.TLS.Cert, Key: s.TLS.Key, ClientCA: s.TLS.ClientCA,
		ClientAuth: map[string]tls.ClientAuthType{
			config.ClientAuthNone: tls.NoClientCert, config.ClientAuthOptional: tls.VerifyClientCertIfGiven,
			config.ClientAuthRequired: tls.RequireAndVerifyClientCert,
		}[s.TLS.ClientAuth],
		Now: s.Now,
	}
}

const certificateHint = "tls in the settings names certificate, key and client_ca, in PEM; the key has mode 0600"

// tokenHint states what to do about tokens that can't be used.
func tokenHint(err error) string {
	var open *server.ModeError
	if errors.As(err, &open) || sidecar.Unwritable(err) {
		return stateHint(err)
	}
	return "tokens in the settings and the state directory name the files; one has mode 0600 and 32 random bytes in base64url"
}

// bound bounds the connections of both listeners, and wraps TLS around the first, if the settings require it.
// scheme is that of the first.
func (o *operations) bound(tcp, unix net.Listener) (boundTCP, boundUnix net.Listener, scheme string) {
	boundTCP, scheme = o.secure(o.connections.Listener(tcp))
	return boundTCP, o.connections.Listener(unix), scheme
}

// secure wraps TLS around the listener, if the settings require it, and returns the scheme for clients.
func (o *operations) secure(listener net.Listener) (net.Listener, string) {
	if o.certificates == nil {
		return listener, "http"
	}
	return server.TLSListener(listener, o.certificates.Config(), o.logger), "https"
}

// options adds the operational settings to a server.
func (o *operations) options(decider *sidecar.Sidecar) func(*server.Options) {
	return func(options *server.Options) {
		s := o.settings
		options.Keys, options.Connections = o.tokens.Keys(), o.connections
		o.policy = decider.Policy
		o.hideTokens()
		options.Ready = o.ready(options.Ready)
		options.Limits.BodyBytes = s.Limits.BodyBytes
		options.Quota = quota.New(quota.Limits{
			PerSecond: s.Limits.RequestsPerSecond, Concurrent: s.Limits.Concurrent, Held: s.Limits.Held,
		}, nil)
		if o.certificates != nil {
			options.Certificate = o.identify
		}
		options.Observer = observer{metrics: decider.Metrics, tracing: decider.Tracing}
		if s.Metrics.Access != config.MetricsOff {
			options.Metrics, options.MetricsToken = decider.Metrics.Handler(), s.Metrics.Access == config.MetricsToken
		}
		if decider.Tracing.Traces() {
			options.Around, options.Gate = decider.Tracing.Around, decider.Tracing.Decides(options.Gate)
		}
	}
}

// errNoCertificate refuses a connection that outlived what it proved.
var errNoCertificate = errors.New("the client certificate of this connection ended, or its authority is trusted no more; connect again with another")

// identify returns the principal of a connection's certificate. One that matches two entries of the settings
// has none.
func (o *operations) identify(state *tls.ConnectionState) (who server.Principal, named bool, err error) {
	leaf := o.certificates.Client(state)
	if leaf == nil {
		if len(state.PeerCertificates) > 0 {
			return who, false, errNoCertificate
		}
		return who, false, nil
	}
	names := namesOf(leaf)
	for _, client := range o.settings.TLS.Clients {
		if !slices.Contains(names, client.Name) {
			continue
		}
		if named {
			return server.Principal{}, false, fmt.Errorf("the client certificate is both %s and %s by tls.clients; it may be one", who.Name, client.Name)
		}
		who, named = server.Principal{Name: client.Name, Role: server.Role(client.Role)}, true
	}
	return who, named, nil
}

// namesOf are the names that a certificate was signed for.
func namesOf(leaf *x509.Certificate) []string {
	names := slices.Concat([]string{leaf.Subject.CommonName}, leaf.DNSNames, leaf.EmailAddresses)
	for _, uri := range leaf.URIs {
		names = append(names, uri.String())
	}
	return names
}

// ready adds faults of tokens and certificate. Neither makes the server unready: the earlier ones stay in
// use, or the remaining ones.
func (o *operations) ready(inner func() server.Readiness) func() server.Readiness {
	return func() server.Readiness {
		readiness := inner()
		tokens := server.Check{Name: "tokens", OK: true, Detail: "every token file is in force"}
		if err := o.tokens.Fault(); err != nil {
			tokens.OK, tokens.Detail = false, sidecar.OneLine(err)+"; "+tokenConsequence(err)
		}
		readiness.Checks = append(readiness.Checks, tokens)
		if o.certificates == nil {
			return readiness
		}
		check := server.Check{Name: "tls", OK: true, Detail: "the certificate is valid until " + o.certificates.Until().UTC().Format(time.RFC3339)}
		if err := o.certificates.Fault(); err != nil {
			check.OK, check.Detail = false, sidecar.OneLine(err)+"; the certificate until "+o.certificates.Until().UTC().Format(time.RFC3339)+" stays in force"
		}
		readiness.Checks = append(readiness.Checks, check)
		return readiness
	}
}

// tokenConsequence describes the consequence for a token whose file can't be read.
func tokenConsequence(err error) string {
	if secretfile.Transient(err) {
		return "the token that was read last stays in force"
	}
	return "nobody has that token until the file is mended"
}

// follow reads the files again every second and on SIGHUP, until ctx is done.
func (o *operations) follow(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	ticker := time.NewTicker(looking)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			o.logger.Info("files are read again", "cause", "SIGHUP")
		case <-ticker.C:
		}
		o.reload(ctx)
	}
}

func (o *operations) reload(ctx context.Context) {
	if changed, err := o.policy.ReloadFiles(ctx); changed {
		o.logFault("policy", err)
	}
	o.logFault("tokens", o.tokens.Reload())
	o.hideTokens()
	if o.certificates == nil {
		return
	}
	changed, err := o.certificates.Reload()
	if changed {
		o.logger.Info("certificate replaced", "until", o.certificates.Until())
	}
	if err == nil {
		err = o.certificates.Fault()
	}
	o.logFault("tls", err)
}

// hideTokens keeps policyd's own tokens out of records and prompts, also earlier ones.
func (o *operations) hideTokens() {
	for _, token := range o.tokens.Keys().Tokens() {
		if !slices.Contains(o.hidden, token) {
			o.hidden = append(o.hidden, token)
		}
	}
	o.policy.Hide(o.hidden)
}

// logFault logs a fault once, and its end.
func (o *operations) logFault(part string, err error) {
	text := ""
	if err != nil {
		text = sidecar.OneLine(err)
	}
	if text == o.loggedFaults[part] {
		return
	}
	o.loggedFaults[part] = text
	if text == "" {
		o.logger.Info("files are in force again", "part", part)
		return
	}
	o.logger.Error("files can't be used", "part", part, "error", text)
}
