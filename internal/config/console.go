package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Console says where operators' browsers reach policyd.
type Console struct {
	// Serve is ConsoleOff, ConsoleOnDemand or ConsoleAlways.
	Serve string
	// Addr is host:port, and URL what stands before /console in links; empty follows from Addr.
	Addr, URL string
}

// When the console is served.
const (
	ConsoleOff = "off"
	// ConsoleOnDemand: from when an operator asks for a link.
	ConsoleOnDemand = "on_demand"
	ConsoleAlways   = "always"
)

const usualConsole = "127.0.0.1:7484"

func consoleShape() shape {
	return fixed(map[string]shape{
		"serve": {kind: text, allowed: []string{ConsoleOff, ConsoleOnDemand, ConsoleAlways}},
		"addr":  {kind: text, check: hostPort},
		"url":   {kind: text, check: originAddress},
	})
}

func (c *Console) fill(values map[string]any) {
	c.Serve = get(values, "serve", ConsoleOnDemand)
	c.Addr = get(values, "addr", usualConsole)
	c.URL = strings.TrimSuffix(get(values, "url", ""), "/")
}

// originAddress takes the part of an address that stands before its path.
func originAddress(value string) error {
	if err := webAddress(value); err != nil {
		return err
	}
	if parsed, err := url.Parse(value); err != nil || parsed.User != nil || strings.Trim(parsed.Path, "/") != "" {
		return fmt.Errorf("%q has more than scheme, host and port", value)
	}
	return nil
}

// checkConsole holds that cookies never travel unencrypted between machines.
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
