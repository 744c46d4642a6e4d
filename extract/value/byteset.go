package value

// ByteSet is a set of bytes. The zero value is the empty set.
type ByteSet [4]uint64

// Sets of bytes.
var (
	Digits   = Bytes("0123456789")
	Hex      = Digits.Union(Bytes("abcdefABCDEF"))
	Letters  = Bytes("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	Blanks   = Bytes(" \t\n")
	Patterns = Bytes(`*?[`)
	AnyByte  = ByteSet{}.Complement()
)

// Bytes returns the set of the bytes of text.
func Bytes(text string) ByteSet {
	var s ByteSet
	for i := range len(text) {
		s.add(text[i])
	}
	return s
}

func (s *ByteSet) add(c byte) { s[c>>6] |= 1 << (c & 63) }

func (s *ByteSet) remove(c byte) { s[c>>6] &^= 1 << (c & 63) }

// Has reports whether c is a member.
func (s *ByteSet) Has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// Union returns the members of s and of t.
func (s ByteSet) Union(t ByteSet) ByteSet {
	return ByteSet{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]}
}

// Intersect returns the bytes that are members of both s and t.
func (s ByteSet) Intersect(t ByteSet) ByteSet {
	return ByteSet{s[0] & t[0], s[1] & t[1], s[2] & t[2], s[3] & t[3]}
}

// Complement returns the bytes that are no members.
func (s ByteSet) Complement() ByteSet { return ByteSet{^s[0], ^s[1], ^s[2], ^s[3]} }

// In reports whether each member of s is one of t.
func (s ByteSet) In(t ByteSet) bool { return s.Intersect(t) == s }

// Meets reports whether s and t have a member in common.
func (s ByteSet) Meets(t ByteSet) bool { return s.Intersect(t) != ByteSet{} }
