package config

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

// Operations are the settings of running policyd; no rule reads them. The zero value isn't the default: Load
// fills in defaults.
type Operations struct {
	TLS     TLS
	Tokens  []TokenFile
	Socket  Socket
	Limits  Limits
	Metrics Metrics
	Log     Log
	Console Console
	Notify  []Notify
}

// TLS states how the address is served. Without Cert it is served in plain text.
type TLS struct {
	// Cert, Key and ClientCA are PEM files, as absolute paths.
	Cert, Key, ClientCA string
	// ClientAuth is none, optional or required.
	ClientAuth string
	// Clients are who may do without a token.
	Clients []ClientName
}

// ClientName gives a role to the client certificates that carry Name, as their
// common name or as an alternative name.
type ClientName struct{ Name, Role string }

// Whether clients show a certificate.
const (
	ClientAuthNone     = "none"
	ClientAuthOptional = "optional"
	ClientAuthRequired = "required"
)

// TokenFile is a token with a name, in addition to the two in the state directory.
type TokenFile struct{ Name, Role, File string }

// Roles that a token or a client certificate can have.
const (
	RoleAgent    = "agent"
	RoleOperator = "operator"
	// RoleMetrics may read /metrics and do nothing else.
	RoleMetrics = "metrics"
)

// Socket states who may connect to the Unix socket.
type Socket struct {
	// Mode is 0600 or 0660.
	Mode uint32
	// Group is a name or a number; empty leaves the group as it is.
	Group string
}

// Limits bound the requests of one agent. Zero means no limit.
type Limits struct {
	RequestsPerSecond, Concurrent, Held int
	// BodyBytes is never zero.
	BodyBytes int64
	// Connections is how many may be open at a time; zero follows from the descriptors that
	// the process may have.
	Connections int
	// PromptsPerCaller is how many open prompts an agent of a caller may have, and
	// SessionsPerCaller how many sessions a caller.
	PromptsPerCaller, SessionsPerCaller int
}

// Metrics configures who may read /metrics: everybody (open), callers with a token for it (token), or nobody
// (off).
type Metrics struct{ Access string }

// Who may read /metrics.
const (
	MetricsOpen  = "open"
	MetricsToken = "token"
	MetricsOff   = "off"
)

// Log is policyd's own log, which goes to standard error.
type Log struct {
	Level slog.Level
	// Format is text or json.
	Format string
}

// operationsShapes are the shapes of these settings.
func operationsShapes() map[string]shape {
	client := fixed(map[string]shape{
		"name": {kind: text, check: certificateName, needed: true},
		"role": {kind: text, allowed: []string{RoleAgent, RoleOperator, RoleMetrics}, needed: true},
	})
	token := fixed(map[string]shape{
		"name": {kind: text, check: tokenName, needed: true},
		"role": {kind: text, allowed: []string{RoleAgent, RoleOperator, RoleMetrics}, needed: true},
		"file": {kind: text, check: notEmpty, needed: true},
	})
	return map[string]shape{
		"tls": fixed(map[string]shape{
			"cert": {kind: text}, "key": {kind: text}, "client_ca": {kind: text},
			"client_auth": {kind: text, allowed: []string{ClientAuthNone, ClientAuthOptional, ClientAuthRequired}},
			"clients":     {kind: list, each: &client},
		}),
		"tokens": {kind: list, each: &token},
		"socket": fixed(map[string]shape{"mode": {kind: text, check: socketMode}, "group": {kind: text}}),
		"limits": fixed(map[string]shape{
			"requests_per_second": {kind: number, least: 0, most: 1_000_000},
			"concurrent":          {kind: number, least: 0, most: 100_000},
			"held":                {kind: number, least: 0, most: 100_000},
			"connections":         {kind: number, least: 0, most: 100_000},
			"prompts_per_caller":  {kind: number, least: 1, most: 10_000},
			"sessions_per_caller": {kind: number, least: 1, most: 10_000_000},
			"body_bytes":          {kind: number, least: 1 << 10, most: 16 << 20},
		}),
		"metrics": fixed(map[string]shape{
			"access": {kind: text, allowed: []string{MetricsOpen, MetricsToken, MetricsOff}},
		}),
		"console": consoleShape(),
		"notify":  notifyShape(),
		"log": fixed(map[string]shape{
			"level":  {kind: text, allowed: []string{"debug", "info", "warn", "error"}},
			"format": {kind: text, allowed: []string{"text", "json"}},
		}),
	}
}

// Defaults of the limits: far above what a person's agents do, and far below
// what keeps others from being served.
const (
	usualRequests   = 1000
	usualConcurrent = 64
	usualHeld       = 100
	usualBody       = 1 << 20
	usualPrompts    = 1000
	usualSessions   = 50_000
)

func (o *Operations) fill(values map[string]any, home string) error {
	socket := get(values, "socket", map[string]any{})
	mode, err := strconv.ParseUint(get(socket, "mode", "0660"), 8, 32)
	if err != nil {
		return fmt.Errorf("read socket.mode: %w", err)
	}
	o.Socket = Socket{Mode: uint32(mode), Group: get(socket, "group", "")}
	limits := get(values, "limits", map[string]any{})
	o.Limits = Limits{
		RequestsPerSecond: get(limits, "requests_per_second", usualRequests), Concurrent: get(limits, "concurrent", usualConcurrent),
		Held: get(limits, "held", usualHeld), BodyBytes: int64(get(limits, "body_bytes", usualBody)),
		Connections: get(limits, "connections", 0), PromptsPerCaller: get(limits, "prompts_per_caller", usualPrompts),
		SessionsPerCaller: get(limits, "sessions_per_caller", usualSessions),
	}
	o.Metrics = Metrics{Access: get(get(values, "metrics", map[string]any{}), "access", MetricsOpen)}
	log := get(values, "log", map[string]any{})
	o.Log.Format = get(log, "format", "text")
	if err := o.Log.Level.UnmarshalText([]byte(get(log, "level", "info"))); err != nil {
		return fmt.Errorf("read log.level: %w", err)
	}
	o.Console.fill(get(values, "console", map[string]any{}))
	o.Notify = notifyTargets(get(values, "notify", []any{}))
	if err := o.fillTLS(get(values, "tls", map[string]any{}), home); err != nil {
		return err
	}
	for i, entry := range get(values, "tokens", []any{}) {
		member, _ := entry.(map[string]any)
		file, err := expandHome(get(member, "file", ""), home)
		if err != nil {
			return fmt.Errorf("find tokens[%d].file: %w", i, err)
		}
		o.Tokens = append(o.Tokens, TokenFile{Name: get(member, "name", ""), Role: get(member, "role", ""), File: file})
	}
	return nil
}

func (o *Operations) fillTLS(values map[string]any, home string) error {
	for _, file := range []struct {
		key string
		to  *string
	}{{"cert", &o.TLS.Cert}, {"key", &o.TLS.Key}, {"client_ca", &o.TLS.ClientCA}} {
		var err error
		if *file.to, err = expandHome(get(values, file.key, ""), home); err != nil {
			return fmt.Errorf("find tls.%s: %w", file.key, err)
		}
	}
	usual := ClientAuthNone
	if o.TLS.ClientCA != "" {
		usual = ClientAuthRequired
	}
	o.TLS.ClientAuth = get(values, "client_auth", usual)
	for _, entry := range get(values, "clients", []any{}) {
		member, _ := entry.(map[string]any)
		o.TLS.Clients = append(o.TLS.Clients, ClientName{Name: get(member, "name", ""), Role: get(member, "role", "")})
	}
	return nil
}

// check checks conditions between settings. lines are those of the file.
func (o *Operations) check(path string, lines map[string]int) error {
	fail := func(key, message string) error {
		return &Error{Source: path, Line: lines[key], Key: key, Message: message}
	}
	switch {
	case o.TLS.Cert != "" && o.TLS.Key == "":
		return fail("tls.cert", "a certificate needs its key; set tls.key")
	case o.TLS.Key != "" && o.TLS.Cert == "":
		return fail("tls.key", "a key needs its certificate; set tls.cert")
	case o.TLS.ClientCA != "" && o.TLS.Cert == "":
		return fail("tls.client_ca", "clients show certificates to a server that has one; set tls.cert and tls.key")
	case o.TLS.ClientAuth != ClientAuthNone && o.TLS.ClientCA == "":
		return fail("tls.client_auth", "certificates are checked against an authority; set tls.client_ca")
	case len(o.TLS.Clients) > 0 && o.TLS.ClientAuth == ClientAuthNone:
		return fail("tls.clients", "no client is asked for a certificate; set tls.client_ca, and tls.client_auth to optional or required")
	}
	roles := map[string]string{}
	for i, client := range o.TLS.Clients {
		if _, twice := roles[client.Name]; twice {
			return fail(fmt.Sprintf("tls.clients[%d].name", i), fmt.Sprintf("%q is repeated; keep one", client.Name))
		}
		roles[client.Name] = client.Role
	}
	if err := o.checkConsole(fail); err != nil {
		return err
	}
	if err := o.checkNotify(fail); err != nil {
		return err
	}
	return o.checkTokens(roles, fail)
}

// checkTokens requires that a name is one person or program: it has one token, with the role of its
// certificate.
func (o *Operations) checkTokens(roles map[string]string, fail func(key, message string) error) error {
	names, files := map[string]bool{}, map[string]bool{}
	for i, token := range o.Tokens {
		key := fmt.Sprintf("tokens[%d].", i)
		role, known := roles[token.Name]
		switch {
		case names[token.Name]:
			return fail(key+"name", fmt.Sprintf("%q is repeated; a name has one token", token.Name))
		case files[token.File]:
			return fail(key+"file", fmt.Sprintf("%q is another name's file; each has its own", token.File))
		case known && role != token.Role:
			return fail(key+"role", fmt.Sprintf("%q is %s by its certificate; a name has one role", token.Name, role))
		}
		names[token.Name], files[token.File] = true, true
	}
	return nil
}

const (
	longestName        = 64
	longestCertificate = 255
	nameLetters        = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// tokenName accepts names that are safe to show in answers and logs.
func tokenName(value string) error {
	if value == "" || len(value) > longestName || strings.Trim(value, nameLetters+"._@-") != "" || !strings.Contains(nameLetters, value[:1]) {
		return fmt.Errorf("%q is no name; up to %d letters, digits and . _ @ -, a letter or digit first", value, longestName)
	}
	return nil
}

func certificateName(value string) error {
	if value == "" || len(value) > longestCertificate || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%q is no name of a certificate; up to %d visible characters without blanks", value, longestCertificate)
	}
	return nil
}

// socketMode accepts the two modes that have a meaning: connecting needs the right to write.
func socketMode(value string) error {
	switch value {
	case "0600", "0660":
		return nil
	}
	return fmt.Errorf("%q is not allowed; \"0600\" for policyd's user alone, or \"0660\" for its group too: whoever connects may ask as an agent", value)
}
