package shell

import "hash/maphash"

// names maps names to what is known of them, and is never changed: with one more it
// is a map of its own that shares nearly all of the one before. A line can set a
// name in every command and every branch, and each time leaves a state behind. The
// zero value is empty.
//
// It is a trie over hashes that nobody can foretell, so that no choice of names
// makes it deep. A name never moves, and so two maps that come from one are told
// apart without looking at what they share.
type names[V comparable] struct {
	root  *named[V]
	count int
}

// named is one name, with those whose hashes begin as the way to it does. gone is true
// for a name that was taken out.
type named[V comparable] struct {
	name  string
	value V
	gone  bool
	next  [1 << nameStep]*named[V]
}

// nameStep is how many bits of a hash lead from one name to the next.
const nameStep = 2

var nameSeed = maphash.MakeSeed()

// find returns the node of a name, nil for none.
func (n names[V]) find(name string) *named[V] {
	if n.root == nil {
		return nil
	}
	hash := maphash.String(nameSeed, name)
	at := n.root
	for at != nil && at.name != name {
		at = at.next[hash%(1<<nameStep)]
		hash >>= nameStep
	}
	return at
}

func (n names[V]) get(name string) (value V, found bool) {
	if at := n.find(name); at != nil && !at.gone {
		return at.value, true
	}
	return value, false
}

func (n names[V]) with(name string, value V) names[V] {
	if known, found := n.get(name); found && known == value {
		return n
	}
	return n.put(&named[V]{name: name, value: value})
}

func (n names[V]) without(name string) names[V] {
	if _, found := n.get(name); !found {
		return n
	}
	return n.put(&named[V]{name: name, gone: true})
}

// put copies the way to a node, which takes the place of the one of its name.
func (n names[V]) put(fresh *named[V]) names[V] {
	next := names[V]{count: n.count}
	hash := maphash.String(nameSeed, fresh.name)
	at, link := n.root, &next.root
	for at != nil && at.name != fresh.name {
		passed := *at
		*link = &passed
		turn := hash % (1 << nameStep)
		at, link = at.next[turn], &passed.next[turn]
		hash >>= nameStep
	}
	if at != nil {
		fresh.next = at.next
		if !at.gone {
			next.count--
		}
	}
	if !fresh.gone {
		next.count++
	}
	*link = fresh
	return next
}

// apart visits the names of n that other may know otherwise, or not at all, until
// visit returns false. It reports whether all were visited.
func (n names[V]) apart(other names[V], visit func(name string, value V) bool) bool {
	return n.root.apart(other.root, visit)
}

func (n *named[V]) apart(other *named[V], visit func(name string, value V) bool) bool {
	if n == nil || n == other {
		return true
	}
	if !n.gone && !visit(n.name, n.value) {
		return false
	}
	for turn, next := range n.next {
		var beside *named[V]
		if other != nil {
			beside = other.next[turn]
		}
		if !next.apart(beside, visit) {
			return false
		}
	}
	return true
}

// same reports whether two maps have the same names with equal values.
func (n names[V]) same(other names[V]) bool {
	return n.count == other.count && n.apart(other, func(name string, value V) bool {
		theirs, found := other.get(name)
		return found && theirs == value
	})
}
