package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Console configures the address at which operators' browsers reach policyd.
type Console struct {
	// Serve is ConsoleOff, ConsoleOnDemand or ConsoleAlways.
	Serve string
	// Addr is host:port, and URL what precedes /console in links; empty follows from Addr.
	Addr, URL string
	// OIDC configures where operators sign in; nil for nowhere.
	OIDC *OIDC
}

// OIDC is an OpenID Connect provider at which operators sign in. Secret is a secret.
type OIDC struct {
	Issuer, Client, Secret string
	// Scopes are requested in addition to openid. Claim is the claim with a person's groups.
	Scopes []string
	Claim  string
	// Roles are those of groups.
	Roles map[string]string
}

// When the console is served.
const (
	ConsoleOff = "off"
	// ConsoleOnDemand: after an operator requests a link.
	ConsoleOnDemand = "on_demand"
	ConsoleAlways   = "always"
)

const usualConsole = "127.0.0.1:7484"

// usualClaim is the claim of most providers.
const usualClaim = "groups"

func consoleShape() shape {
	return fixed(map[string]shape{
		"serve": {kind: text, allowed: []string{ConsoleOff, ConsoleOnDemand, ConsoleAlways}},
		"addr":  {kind: text, check: hostPort},
		"url":   {kind: text, check: originAddress},
		"oidc":  oidcShape(),
	})
}

func oidcShape() shape {
	role := shape{kind: text, allowed: []string{RoleOperator}}
	return fixed(map[string]shape{
		"issuer": {kind: text, check: issuerAddress, needed: true},
		"client": {kind: text, check: oneLine, needed: true},
		"secret": {kind: text, check: oneLine},
		"scopes": strs(),
		"claim":  {kind: text, check: notEmpty},
		"roles":  {kind: table, each: &role, needed: true},
	})
}

func (c *Console) fill(values map[string]any) {
	c.Serve = get(values, "serve", ConsoleOnDemand)
	c.Addr = get(values, "addr", usualConsole)
	c.URL = strings.TrimSuffix(get(values, "url", ""), "/")
	signIn := get(values, "oidc", map[string]any{})
	if get(signIn, "issuer", "") == "" {
		return // it is required if any other key is set
	}
	c.OIDC = &OIDC{
		Issuer: get(signIn, "issuer", ""), Client: get(signIn, "client", ""), Secret: get(signIn, "secret", ""),
		Scopes: words(signIn, "scopes"), Claim: get(signIn, "claim", usualClaim), Roles: map[string]string{},
	}
	if _, given := signIn["scopes"]; !given {
		c.OIDC.Scopes = []string{"email", "groups"}
	}
	for group, role := range get(signIn, "roles", map[string]any{}) {
		c.OIDC.Roles[group] = fmt.Sprint(role)
	}
}

// Operators are the groups whose members may use the console, in order.
func (o *OIDC) Operators() []string {
	var out []string
	for group, role := range o.Roles {
		if role == RoleOperator {
			out = append(out, group)
		}
	}
	slices.Sort(out)
	return out
}

// issuerAddress requires an address over which nobody can change the provider's answers.
func issuerAddress(value string) error {
	if err := webAddress(value); err != nil {
		return err
	}
	parsed, err := url.Parse(value)
	if err != nil || parsed.User != nil || parsed.Scheme != "https" && !isLoopback(parsed.Hostname()) {
		return fmt.Errorf("%q is neither https nor on this machine", value)
	}
	return nil
}

// originAddress accepts the part of an address before its path.
func originAddress(value string) error {
	if err := webAddress(value); err != nil {
		return err
	}
	if parsed, err := url.Parse(value); err != nil || parsed.User != nil || strings.Trim(parsed.Path, "/") != "" {
		return fmt.Errorf("%q has more than scheme, host and port", value)
	}
	return nil
}

// checkConsole requires that cookies never travel unencrypted between machines.
func (o *Operations) checkConsole(fail func(key, message string) error) error {
	c := &o.Console
	host, port, err := net.SplitHostPort(c.Addr)
	switch {
	case err != nil:
		return fail("console.addr", "is no address")
	case c.Serve == ConsoleOnDemand && port == "0":
		return fail("console.addr", "port 0 is known when the console is opened, and agents are kept away from it before; name a port, or set console.serve to always")
	case o.TLS.Cert == "" && !isLoopback(host):
		return fail("console.addr", fmt.Sprintf("%s is not a loopback address: without TLS the console is served to this machine alone; set tls", host))
	case c.URL != "" && strings.HasPrefix(c.URL, "https:") != (o.TLS.Cert != ""):
		return fail("console.url", "is https if tls is set, and else http")
	case c.OIDC != nil && c.Serve != ConsoleAlways:
		return fail("console.oidc", "people sign in at the console; set console.serve to always")
	case c.OIDC != nil && len(c.OIDC.Operators()) == 0:
		return fail("console.oidc.roles", "nobody could sign in; name a group, such as {platform: operator}")
	}
	return nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
