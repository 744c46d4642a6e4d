package strict

// DecodeNullable reads a document in which some values may be null: those below a
// pointer (RFC 6901) for which mayBeNull reports true. The error is an *Error.
func DecodeNullable[T any](data []byte, mayBeNull func(pointer string) bool) (*T, error) {
	return decode[T](data, mayBeNull)
}
