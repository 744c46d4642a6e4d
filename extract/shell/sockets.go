package shell

import (
	"net/netip"
	"slices"
	"strings"
)

// selectsSockets reports whether a word selects sockets without naming a host.
// A host that is named is looked up, so that the name travels to whoever
// answers for it.
func (v *vocabulary) selectsSockets(word Word) bool {
	if word.Kind != Literal {
		return false
	}
	parts := strings.FieldsFunc(word.Text, func(r rune) bool { return strings.ContainsRune(" ()!=<>&|", r) })
	return !slices.ContainsFunc(parts, func(part string) bool { return !v.selectsSocket(part) })
}

func (v *vocabulary) selectsSocket(part string) bool {
	protocol, host, named := strings.Cut(part, "@")
	if named {
		return v.socketWord(protocol) && isAddress(host)
	}
	word, _, _ := strings.Cut(part, ":")
	return v.socketWord(word) || isAddress(part)
}

// socketWord accepts a number, too: a descriptor, or the version of the protocol.
func (v *vocabulary) socketWord(word string) bool {
	word = strings.ToLower(strings.TrimLeft(word, "0123456789"))
	return word == "" || word == "*" || slices.Contains(v.SocketWords, word)
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
