package value

import (
	"slices"
	"unsafe"
)

// SameList reports whether two lists are the same, for the methods that internal/structs writes. An empty list isn't nil.
func SameList[T comparable](x, y []T) bool { return (x == nil) == (y == nil) && slices.Equal(x, y) }

// SizeOfTexts returns the bytes that a list of texts refers to, for those methods.
func SizeOfTexts(list []string) int {
	size := len(list) * int(unsafe.Sizeof(""))
	for _, text := range list {
		size += len(text)
	}
	return size
}
