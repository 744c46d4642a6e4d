package syntax

import "strings"

// PrintsOneLine reports whether a format of dates, as of --date and log.date, prints no line end:
// the name of one, or codes of strftime(3) that are known.
func PrintsOneLine(format string) bool {
	_, codes, custom := strings.Cut(format, ":")
	if !custom {
		return strings.Trim(strings.ToLower(format), "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
	}
	for _, code := range strings.Split(codes, "%")[1:] {
		if code == "" || strings.IndexByte("YmdHMSyjbBaAFTRDeIpzZsuw", code[0]) < 0 {
			return false
		}
	}
	return !strings.ContainsAny(format, "\n\r\\")
}
