package argv

import (
	"slices"
	"strings"
)

// schemeBytes are those that the scheme of an address may hold.
const schemeBytes = "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// withoutAddresses takes the addresses of the network out of a text.
func (o *OperandWords) withoutAddresses(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	var out strings.Builder
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		begin := len(strings.TrimRight(text[:at], schemeBytes))
		if _, known := slices.BinarySearch(o.NetworkSchemes, strings.ToLower(text[begin:at])); !known {
			out.WriteString(text[:at+len("://")])
			text = text[at+len("://"):]
			continue
		}
		out.WriteString(text[:begin])
		text = text[at+len("://"):]
		end := strings.IndexAny(text, ",;\"'`<>|()[]{}"+" \t\n\r\v\f")
		if end < 0 {
			return out.String()
		}
		text = text[end:]
	}
}
