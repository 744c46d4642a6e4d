package value_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/value"
)

func TestMisread(t *testing.T) {
	for _, row := range []struct {
		reading value.Reading
		names   map[string]bool
	}{
		{value.AsInput, map[string]bool{"x=1": true, "_a=": true, "src/x=1": false, "./x=1": false, "1=x": false, "x": false, "x-y=1": false, "=1": false}},
		{value.AsRevision, map[string]bool{
			"abcd": true, "ABCDEF12": true, "abc": false, "main": false, "v1.2-4-gabcd": true, "x..abcd": true, "^abcd~2": true, "abcd@{1}": true,
			"deadbeef.go": false, "": false, "x:y": true,
		}},
		{value.AsPathspec, map[string]bool{":x": true, "x:y": false}},
		{value.AsArchive, map[string]bool{"host:x": true, "d/x:y": false}},
		{value.AsPath, map[string]bool{":x": false, "x=1": false, "abcd": false}},
	} {
		for name, misread := range row.names {
			assert.Equal(t, misread, row.reading.Misread(name), name)
		}
	}
}
