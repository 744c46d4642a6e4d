// Package symbols holds the symbol tables of a line that is interpreted: its variables and its
// functions. It knows nothing of what the symbols stand for.
package symbols

import "hash/maphash"

// Table is an immutable map from names to values: with one more name it is another table that
// shares nearly all nodes with the one before. A line can set a name in each command and each
// branch, and every time the state before is still needed. The zero value is empty.
//
// It is a trie over seeded hashes, so that no choice of names makes it deep. A name never moves,
// so two tables that come from one are compared without a look at what they share.
type Table[V comparable] struct {
	root  *node[V]
	count int
}

// node is one name, with those whose hashes begin as the path to it does. removed is true for a
// name that was taken out.
type node[V comparable] struct {
	name    string
	value   V
	removed bool
	next    [1 << hashStep]*node[V]
}

// hashStep is how many bits of a hash lead from one name to the next.
const hashStep = 2

var hashSeed = maphash.MakeSeed()

// Len returns how many names the table has.
func (t Table[V]) Len() int { return t.count }

// Get returns the value of a name.
func (t Table[V]) Get(name string) (value V, found bool) {
	if t.root == nil {
		return value, false
	}
	hash := maphash.String(hashSeed, name)
	at := t.root
	for at != nil && at.name != name {
		at = at.next[hash%(1<<hashStep)]
		hash >>= hashStep
	}
	if at == nil || at.removed {
		return value, false
	}
	return at.value, true
}

// With returns the table in which name has value. It is t itself if nothing changes.
func (t Table[V]) With(name string, value V) Table[V] {
	if known, found := t.Get(name); found && known == value {
		return t
	}
	return t.put(&node[V]{name: name, value: value})
}

// Without returns the table that lacks name.
func (t Table[V]) Without(name string) Table[V] {
	if _, found := t.Get(name); !found {
		return t
	}
	return t.put(&node[V]{name: name, removed: true})
}

// put copies the path to a node, which takes the place of the one of its name.
func (t Table[V]) put(fresh *node[V]) Table[V] {
	next := Table[V]{count: t.count}
	hash := maphash.String(hashSeed, fresh.name)
	at, link := t.root, &next.root
	for at != nil && at.name != fresh.name {
		passed := *at
		*link = &passed
		turn := hash % (1 << hashStep)
		at, link = at.next[turn], &passed.next[turn]
		hash >>= hashStep
	}
	if at != nil {
		fresh.next = at.next
		if !at.removed {
			next.count--
		}
	}
	if !fresh.removed {
		next.count++
	}
	*link = fresh
	return next
}

// Differing visits the names of t whose value in other can differ or is missing, until visit
// returns false. It reports whether it visited all of them. A visited value can be the same.
func (t Table[V]) Differing(other Table[V], visit func(name string, value V) bool) bool {
	return t.root.differing(other.root, visit)
}

func (n *node[V]) differing(other *node[V], visit func(name string, value V) bool) bool {
	if n == nil || n == other {
		return true
	}
	if !n.removed && !visit(n.name, n.value) {
		return false
	}
	for turn, next := range n.next {
		var counterpart *node[V]
		if other != nil {
			counterpart = other.next[turn]
		}
		if !next.differing(counterpart, visit) {
			return false
		}
	}
	return true
}

// Equal reports whether two tables have the same names with equal values.
func (t Table[V]) Equal(other Table[V]) bool {
	return t.count == other.count && t.Differing(other, func(name string, value V) bool {
		theirs, found := other.Get(name)
		return found && theirs == value
	})
}
