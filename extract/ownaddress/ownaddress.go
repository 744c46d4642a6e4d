// Package ownaddress recognizes the addresses that the sidecar listens on, in texts and in words of commands.
package ownaddress

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"policyd/extract/shell/expansion"
)

// Addresses recognizes the addresses that the sidecar listens on, however a tool spells
// them. A name may resolve to this machine, so in an address of the network every host with
// the port is the sidecar's; a host without a port has to be this machine's. The zero
// value recognizes nothing.
type Addresses struct {
	ports []uint64
	names []string
}

// New reads host:port of each address, and takes the names of this machine. What is
// no address is left out.
func New(addresses, names []string) Addresses {
	out := Addresses{names: slices.Clone(names)}
	for _, address := range addresses {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			continue
		}
		if number, err := strconv.ParseUint(port, 10, 16); err == nil && number != 0 {
			out.ports, out.names = append(out.ports, number), append(out.names, host)
		}
	}
	return out
}

// Uncertain reports whether a word may be a host with the sidecar's port, and only the
// run, or the program that takes patterns in addresses, knows whether it is.
func (o Addresses) Uncertain(words []expansion.Word) bool {
	if len(o.ports) == 0 {
		return false
	}
	counted, host := false, false
	for _, word := range words {
		number := word.Kind == expansion.Number || word.Kind == expansion.Hash
		counted, host = counted || number, host || o.here(word.Text)
		for at, r := range word.Text {
			if r == ':' && (number || patternOfPorts(word.Text[at+1:])) {
				return true
			}
		}
	}
	return counted && host
}

// patternOfPorts reports whether the text behind a colon is a pattern that ports match:
// "74?3", "[7480-7489]", "{80,7483}".
func patternOfPorts(text string) bool {
	if end := strings.IndexAny(text, "/#"); end >= 0 {
		text = text[:end]
	}
	return strings.ContainsAny(text, "*?[{") && strings.Trim(text, "0123456789*?[]{},-!^") == ""
}

// Fetched reports whether a tool that fetches an address would reach the sidecar.
func (o Addresses) Fetched(address string) bool {
	address = undecorated(address)
	return len(o.ports) > 0 && (o.WithPort(address, AnyHost) || o.defaultPort(address))
}

// Mentioned reports whether a text of any kind holds the address: with a scheme on any
// host, without one on this machine.
func (o Addresses) Mentioned(text string) bool {
	if len(o.ports) == 0 {
		return false
	}
	plain := undecorated(text)
	return o.WithPort(text, o.plausible) || o.WithPort(plain, o.plausible) || o.defaultPort(plain)
}

// undecorated is an address without the tabs and ends of lines that readers of addresses drop (WHATWG, URL, 4.4).
func undecorated(address string) string {
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
}

// Given reports whether the words of a command that reaches the network name the address,
// in one word or as a host and a port.
func (o Addresses) Given(words []expansion.Word) bool {
	if len(o.ports) == 0 {
		return false
	}
	host, port := false, false
	for _, word := range words {
		if o.WithPort(word.Text, AnyHost) || o.defaultPort(word.Text) {
			return true
		}
		value := word.Text
		if _, behind, attached := strings.Cut(value, "="); attached {
			value = behind
		} else if len(value) > 2 && value[0] == '-' && value[1] != '-' {
			value = value[2:] // -p7483
		}
		host, port = host || o.here(value), port || o.isPort(value)
	}
	return host && port
}

// Pair reports whether texts are a host and a port: this machine and the sidecar's.
func (o Addresses) Pair(texts []string) bool {
	host, port := false, false
	for _, text := range texts {
		host, port = host || o.here(text), port || o.isPort(text)
	}
	return len(o.ports) > 0 && host && port
}

func (o Addresses) isPort(text string) bool {
	number, err := strconv.ParseUint(text, 10, 16)
	return err == nil && slices.Contains(o.ports, number)
}

// AnyHost takes every text before a port for a host.
func AnyHost(string) bool { return true }

// plausible reports whether what stands before a port in a text is an address.
func (o Addresses) plausible(before string) bool {
	if cut := strings.LastIndexAny(before, " \t\r\n\"'`()<>,;|="); cut >= 0 {
		before = before[cut+1:]
	}
	if strings.Contains(before, "//") || strings.Contains(before, `\\`) {
		return true
	}
	host := before[strings.LastIndexAny(before, "@/")+1:]
	_, behind, schemed := strings.Cut(host, ":") // "http:127.0.0.1"
	return o.here(host) || schemed && o.here(behind)
}

// WithPort reports whether a text holds the port behind a colon, and a host before it.
func (o Addresses) WithPort(text string, host func(before string) bool) bool {
	if len(o.ports) == 0 {
		return false
	}
	for at, r := range text {
		if r != ':' {
			continue
		}
		digits := text[at+1:]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		if o.isPort(strings.TrimLeft(digits, "0")) && host(text[:at]) {
			return true
		}
	}
	return false
}

// defaultPort reports whether an address without a port is this machine's, and its scheme
// stands for the sidecar's port.
func (o Addresses) defaultPort(address string) bool {
	if !slices.Contains(o.ports, 80) && !slices.Contains(o.ports, 443) {
		return false
	}
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil || parsed.Host == "" {
		return o.here(address)
	}
	standard := map[string]uint64{"http": 80, "ws": 80, "https": 443, "wss": 443}
	return parsed.Port() == "" && slices.Contains(o.ports, standard[strings.ToLower(parsed.Scheme)]) && o.here(parsed.Hostname())
}

// here reports whether a host is this machine: a name of it, or an address that leads to
// itself, in each form that inet_aton(3) takes (127.1, 0x7f000001, 017700000001).
func (o Addresses) here(host string) bool {
	host = strings.TrimRight(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "" {
		return false
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "localhost.") ||
		strings.HasPrefix(host, "localhost4") || strings.HasPrefix(host, "localhost6") || host == "ip6-localhost" || host == "ip6-loopback" {
		return true
	}
	for _, name := range o.names {
		if name != "" && host == strings.ToLower(strings.TrimRight(name, ".")) {
			return true
		}
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		address, err = looseIPv4(host)
	}
	address = address.Unmap()
	return err == nil && (address.IsLoopback() || address.IsUnspecified())
}

// looseIPv4 reads one to four numbers, the last of which fills the bytes that are left,
// in decimal, octal or hexadecimal.
func looseIPv4(host string) (netip.Addr, error) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, strconv.ErrSyntax
	}
	var bytes [4]byte
	for i, part := range parts {
		left := 1
		if i == len(parts)-1 {
			left = 4 - i
		}
		number, err := strconv.ParseUint(part, 0, 8*left)
		if err != nil || strings.ContainsAny(part, "_ob") && !strings.HasPrefix(part, "0x") {
			return netip.Addr{}, strconv.ErrSyntax
		}
		for j := range left {
			bytes[i+j] = byte(number >> (8 * (left - 1 - j)) & 0xff)
		}
	}
	return netip.AddrFrom4(bytes), nil
}
