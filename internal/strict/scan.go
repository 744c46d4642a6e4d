package strict

// MaxDepth is how many objects and arrays may be open at once, args included.
const MaxDepth = 64

const tooDeep = "objects and arrays are nested deeper than 64 levels; flatten them"

// scan scans the body once without parsing it. It refuses nesting deeper than MaxDepth, so that no decoder
// has to recurse into it, and reports whether there may be a null. Invalid JSON is left to the decoder.
func scan(data []byte) (mayHoldNull bool, err error) {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '{', '[':
			if depth++; depth > MaxDepth {
				return false, &Error{
					Code: CodeTooDeep, Offset: int64(i),
					Message: tooDeep,
				}
			}
		case '}', ']':
			depth--
		case 'n':
			mayHoldNull = true
		}
	}
	return mayHoldNull, nil
}

// skipString returns the index of the quote that ends the string at start, or
// the last index when nothing ends it.
func skipString(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(data) - 1
}
