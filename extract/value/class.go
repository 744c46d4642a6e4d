package value

// Class over-approximates a set of strings by their bytes: which can come first, which can follow,
// and whether the string can be empty. It stores what it excludes, so that the zero value excludes
// nothing.
type Class struct {
	notFirst, notRest ByteSet
	notEmpty          bool
}

// Classes of what shells and programs print.
var (
	// Empty is the empty string alone.
	Empty = Of("")
	// NonEmpty is any string but the empty one.
	NonEmpty = Strings(AnyByte, AnyByte, false)
	// Number is a decimal number.
	Number = Strings(Digits, Digits, false)
	// SignedNumber is a decimal number that can be below zero.
	SignedNumber = Strings(Digits.Union(Bytes("-")), Digits, false)
)

// Strings returns the class of the strings of first, followed by any number of rest, and of the
// empty string if empty is true.
func Strings(first, rest ByteSet, empty bool) Class {
	return Class{notFirst: first.Complement(), notRest: rest.Complement(), notEmpty: !empty}
}

// Of returns the class of one string.
func Of(text string) Class {
	if text == "" {
		return Strings(ByteSet{}, ByteSet{}, true)
	}
	return Strings(Bytes(text[:1]), Bytes(text[1:]), false)
}

// First returns the bytes that can come first.
func (c *Class) First() ByteSet { return c.notFirst.Complement() }

// Rest returns the bytes that can follow the first one.
func (c *Class) Rest() ByteSet { return c.notRest.Complement() }

// All returns the bytes that can be in a string.
func (c *Class) All() ByteSet { return c.notFirst.Intersect(c.notRest).Complement() }

// MayBegin reports whether a string can begin with b.
func (c *Class) MayBegin(b byte) bool { return !c.notFirst.Has(b) }

// MayBeEmpty reports whether a string can be empty.
func (c *Class) MayBeEmpty() bool { return !c.notEmpty }

// Contains reports whether text is one of the strings.
func (c *Class) Contains(text string) bool {
	if text == "" {
		return c.MayBeEmpty()
	}
	return c.MayBegin(text[0]) && Bytes(text[1:]).In(c.Rest())
}

// In reports whether d excludes nothing that c doesn't exclude.
func (c *Class) In(d *Class) bool {
	return d.notFirst.In(c.notFirst) && d.notRest.In(c.notRest) && (c.notEmpty || !d.notEmpty)
}

// Concat returns the class of a string of c with one of d behind it.
func (c *Class) Concat(d *Class) Class {
	out := Class{notFirst: c.notFirst, notRest: c.notRest.Intersect(d.notRest), notEmpty: c.notEmpty || d.notEmpty}
	if !c.notEmpty {
		out.notFirst = c.notFirst.Intersect(d.notFirst)
	}
	if c.notFirst != AnyByte {
		out.notRest = out.notRest.Intersect(d.notFirst)
	}
	return out
}

// Present returns the class of the strings of c that aren't empty.
func (c *Class) Present() Class {
	out := *c
	out.notEmpty = true
	return out
}

// OrEmpty returns the class of a string of c or the empty string.
func (c *Class) OrEmpty() Class {
	out := *c
	out.notEmpty = false
	return out
}

// Slice returns the class of the parts of a string of c.
func (c *Class) Slice() Class {
	all := c.All()
	return Strings(all, all, true)
}

// Append changes the class to that of a string of c with text behind it.
func (c *Class) Append(text string) {
	for i := range len(text) {
		c.AppendByte(text[i])
	}
}

// AppendByte changes the class to that of a string of c with a byte behind it.
func (c *Class) AppendByte(b byte) {
	if c.notFirst != AnyByte {
		c.notRest.remove(b)
	}
	if !c.notEmpty {
		c.notFirst.remove(b)
		c.notEmpty = true
	}
}
