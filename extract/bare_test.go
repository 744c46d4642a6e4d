package extract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// S3: what grep -o prints is text that only the run knows, and may begin as an option does.
func TestMatchesThatGrepPrints(t *testing.T) {
	p := newPlace(t)
	p.files(t, "log", "-f.env")
	for _, line := range []string{`x=$(grep -oE '[-a-z]+' log); grep -n "$x" README.md`, `x=$(grep -oE '[a-z]+' log | cut -c1); grep -n "$x" README.md`} {
		assert.Contains(t, p.lastOf(line), "dynamic_option", "%q", line)
	}
}
