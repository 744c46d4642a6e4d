package argv

import (
	"net/netip"
	"slices"
	"strings"
)

// SelectsSockets reports whether a text selects sockets without naming a host.
// A host that is named is looked up, so that the name travels to whoever
// answers for it.
func (o *OperandWords) SelectsSockets(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ()!=<>&|", r) })
	return !slices.ContainsFunc(parts, func(part string) bool { return !o.selectsSocket(part) })
}

func (o *OperandWords) selectsSocket(part string) bool {
	protocol, host, named := strings.Cut(part, "@")
	if named {
		return o.socketWord(protocol) && isAddress(host)
	}
	word, _, _ := strings.Cut(part, ":")
	return o.socketWord(word) || isAddress(part)
}

// socketWord accepts a number, too: a descriptor, or the version of the protocol.
func (o *OperandWords) socketWord(word string) bool {
	word = strings.ToLower(strings.TrimLeft(word, "0123456789"))
	return word == "" || word == "*" || slices.Contains(o.Sockets, word)
}

// isAddress accepts an address in figures, with a port or the length of a prefix.
func isAddress(text string) bool {
	host, _, _ := strings.Cut(text, "/")
	if inside, ok := strings.CutPrefix(host, "["); ok {
		host, _, _ = strings.Cut(inside, "]")
	} else if strings.Count(host, ":") == 1 {
		host, _, _ = strings.Cut(host, ":")
	}
	if host == "" || host == "*" {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
