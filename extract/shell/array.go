package shell

import (
	"slices"
	"strconv"
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// array is what an array of the line holds, or what the positional parameters
// of a function are.
type array struct {
	words []Word
	// keys are those of an associative array, one for each word.
	keys        []string
	associative bool
	// more is true when others than words may follow them.
	more bool
}

// first is what the array is without a subscript.
func (a *array) first() (Word, bool) {
	if a.associative {
		return Word{}, false // the member "0"
	}
	return a.at(0)
}

// at is the member with a number, where those before it are one word each.
func (a *array) at(index int) (Word, bool) {
	if member, ok := a.found(); ok {
		return member, true
	}
	if index >= len(a.words) {
		some := slices.ContainsFunc(a.words, func(word Word) bool { return !single(word) })
		return Word{Kind: Literal}, !a.more && !some
	}
	for i, word := range a.words[:index+1] {
		if !single(word) && (i < index || word.Kind != Glob || word.Recut) {
			return Word{}, false
		}
	}
	return a.words[index], true // of a pattern one of its matches, as in a loop
}

// found is any one member of an array that holds nothing but names that a command found: one
// of them, or none.
func (a *array) found() (Word, bool) {
	if len(a.words) != 1 || a.more || a.words[0].Kind != Fed || a.words[0].feed == nil || !a.words[0].feed.many {
		return Word{}, false
	}
	one := *a.words[0].feed
	if one.many, one.none, one.every = false, true, len(one.roots) > 1; a.words[0].Recut {
		one.Handing = value.AsWords
	}
	return one.word(a.words[0].Text), true
}

// single reports whether a word is exactly one when the shell is through with it.
func single(word Word) bool {
	return word.Kind == Literal && word.Extended == "" || !word.Split && !word.Vanishes && word.Kind != Glob && (word.Kind != Fed || word.feed != nil && !word.feed.many)
}

// plain reports whether words of an array are text and nothing else.
func (a *array) plain() bool {
	return !slices.ContainsFunc(a.words, func(word Word) bool { return word.Kind == Dynamic || word.Kind == Pipe })
}

// plainSubscript reports whether a subscript is one that shells evaluate to
// itself: all members, digits, a variable that holds a number, or any word
// where the array is an associative one of the line.
func (w *walker) plainSubscript(st *state, part *syntax.ParamExp) bool {
	value, known := st.variable(part.Param.Value)
	switch {
	case w.Zsh || w.Posix && (!known || value.array == nil):
		return false
	case tree.IsAllMembers(part.Index):
		return known && value.array != nil && value.array.plain() || !known && slices.Contains(w.table.Words.Variables.Public, part.Param.Value)
	case known && value.array != nil && value.array.associative:
		_, ok := w.key(st, part.Index)
		return ok
	}
	if !tree.IsDecimal(part.Index) {
		w.aborts(st) // one below the first is an error
	}
	assigned, plain := w.arithmetic(st, part.Index)
	return plain && len(assigned) == 0 && (!known || value.array == nil || value.array.plain())
}

// key reads the subscript of an associative array.
func (w *walker) key(st *state, index syntax.ArithmExpr) (Word, bool) {
	word, ok := index.(*syntax.Word)
	if !ok {
		return Word{}, false
	}
	key := w.word(st, word)
	switch key.Kind {
	case Literal:
		return key, key.Text != "" && key.Text != "@" && key.Text != "*" && strings.Trim(key.Text, lexical.OperandBytes) == ""
	case Number, Output, Fed, Hash:
		return key, true
	default:
		return Word{}, false
	}
}

// member is the member of an array that an expansion names.
func (w *walker) member(st *state, part *syntax.ParamExp) (Word, bool) {
	if !w.plainSubscript(st, part) {
		w.messy(guard.MessyExpansion)
		return Word{}, false
	}
	name := part.Param.Value
	value, known := st.variable(name)
	if !known {
		if name == "PIPESTATUS" && !tree.IsAllMembers(part.Index) {
			return Word{Kind: Number, Text: "$" + name}, true
		}
		return w.value(st, name)
	}
	if value.array == nil {
		word, ok := part.Index.(*syntax.Word)
		return value, ok && word.Lit() == "0" && value.Kind != Dynamic
	}
	output := Word{Kind: Output, Text: "$" + name}
	if tree.IsAllMembers(part.Index) {
		return output, true
	}
	if value.array.associative {
		key, _ := w.key(st, part.Index)
		at := slices.Index(value.array.keys, key.Text)
		if key.Kind != Literal || value.array.more {
			return output, value.array.plain()
		}
		if at < 0 {
			return Word{Kind: Literal}, true
		}
		return value.array.words[at], true
	}
	if word, ok := part.Index.(*syntax.Word); ok && lexical.IsDecimal(word.Lit()) {
		if index, err := strconv.Atoi(word.Lit()); err == nil {
			if found, ok := value.array.at(index); ok {
				return found, true
			}
		}
	}
	return output, value.array.plain()
}

// members expands a word that is all members of an array, or of the
// parameters of a function, into one word each.
func (w *walker) members(st *state, word *syntax.Word) ([]Word, bool) {
	part, quoted := tree.LoneParameter(word)
	if part == nil || part.Param == nil || part.Length || part.Slice != nil && part.Index == nil || part.Repl != nil || part.Exp != nil ||
		len(part.Modifiers) > 0 || part.Names != 0 || part.Flags != nil || part.Width || part.IsSet {
		return nil, false
	}
	name, all := part.Param.Value, ""
	switch {
	case (name == "@" || name == "*") && part.Index == nil && !part.Excl:
		all = name
		name = "@"
	case part.Index != nil && tree.IsAllMembers(part.Index) && !w.Zsh:
		if all = "@"; !tree.IsAtMembers(part.Index) {
			all = "*"
		}
	default:
		return nil, false
	}
	value, _ := st.variable(name)
	if value.array == nil || st.assigned("IFS") || !quoted && slices.ContainsFunc(value.array.words, w.resplit) {
		return nil, false
	}
	switch {
	case value.array.unordered() && !w.anyOrder:
		return []Word{{Kind: Output, Text: "${" + name + "[@]}", Split: true, Vanishes: true}}, value.array.plain()
	case part.Slice != nil && (part.Excl || !quoted || all == "*"), value.array.more && !part.Excl:
		return nil, false
	case part.Excl:
		return value.array.names(), value.array.names() != nil
	case quoted && all == "*":
		return value.array.joined()
	}
	members, ok := value.array.sliced(part.Slice)
	if !ok {
		return nil, false
	}
	for i := range members {
		if members[i].Kind == Glob && !strings.HasPrefix(members[i].Text, "/") && !slices.Equal(members[i].dirs, st.dirs) {
			members[i].Kind = Dynamic
		}
		if !quoted && members[i].Kind != Literal {
			members[i].Split, members[i].Recut = true, true
		}
	}
	return members, true
}

// sliced are the members that ${name[@]:offset:length} names, or all of them where they come
// from one word: then there may be fewer, and none.
func (a *array) sliced(slice *syntax.Slice) ([]Word, bool) {
	members := slices.Clone(a.words)
	switch {
	case slice == nil:
		return members, true
	case !tree.IsDecimalSlice(slice) || a.associative:
		return nil, false
	case !slices.ContainsFunc(members, func(word Word) bool { return word.Kind != Literal || !single(word) }):
		from, to, ok := tree.SliceBounds(slice, len(members))
		return members[from:to], ok
	case len(members) == 1 && (members[0].Kind == Glob || members[0].Kind == Fed):
		members[0].Vanishes = true
		return members, true
	}
	return nil, false
}

// unordered reports whether only the shell knows the order of the members.
func (a *array) unordered() bool { return a.associative && len(a.words) > 1 }

// resplit reports whether a word outside of quotes becomes others than it is.
func (w *walker) resplit(word Word) bool {
	return word.Kind == Literal && (word.Text == "" || w.Rereads(word.Text))
}

// names are the subscripts of an array, nil when they are not known.
func (a *array) names() []Word {
	var out []Word
	for i, word := range a.words {
		switch {
		case a.more:
			return nil
		case a.associative:
			out = append(out, Word{Kind: Literal, Text: a.keys[i]})
		case single(word):
			out = append(out, Word{Kind: Literal, Text: strconv.Itoa(i)})
		default:
			return nil
		}
	}
	return out
}

// joined is all members as one word, with blanks between them.
func (a *array) joined() ([]Word, bool) {
	var texts []string
	length := 0
	for _, word := range a.words {
		if length += 1 + len(word.Text); word.Kind != Literal || length > maxText {
			return nil, false
		}
		texts = append(texts, word.Text)
	}
	return []Word{{Kind: Literal, Text: strings.Join(texts, " ")}}, true
}

// arrayAssigned reads an assignment that makes an array, adds to one, or sets
// one member. associative says that the line has declared it so.
func (w *walker) arrayAssigned(st *state, assign *syntax.Assign, associative bool) (Word, bool) {
	if w.Zsh || assign.Name == nil || assign.Naked || assign.Array == nil && assign.Index == nil || !w.local(assign.Name.Value) {
		return Word{}, false
	}
	if w.Posix {
		w.messy(guard.MessyDialect) // which only some shells called sh take for an array
	}
	old := st.array(assign.Name.Value)
	next := &array{associative: associative}
	if old != nil {
		if next.associative = old.associative; assign.Append || assign.Index != nil {
			next = &array{words: slices.Clone(old.words), keys: slices.Clone(old.keys), associative: old.associative, more: old.more}
		}
	}
	switch {
	case assign.Index != nil:
		return w.memberAssigned(st, assign, old, next)
	case assign.Array == nil || assign.Append && old == nil:
		return Word{}, false
	}
	for _, element := range assign.Array.Elems {
		if len(next.words) > maxWords {
			break // too many already
		}
		if element.Value == nil || next.associative != (element.Index != nil) {
			return Word{}, false // numbers in brackets are expressions
		}
		if !next.associative {
			words := w.words(st, element.Value)
			dropUnmatched(st, words)
			w.handsOn(st, words)
			next.words = append(next.words, located(st, words)...)
			continue
		}
		key, ok := w.key(st, element.Index)
		if value := w.word(st, element.Value); ok && key.Kind == Literal {
			next.set(key.Text, kept(value))
		} else {
			return Word{}, false
		}
	}
	return Word{array: next}, len(next.words) <= maxWords
}

// memberAssigned reads name[key]=value of an associative array.
func (w *walker) memberAssigned(st *state, assign *syntax.Assign, old, next *array) (Word, bool) {
	if old == nil || !old.associative || assign.Value == nil || assign.Append {
		return Word{}, false
	}
	key, ok := w.key(st, assign.Index)
	if !ok {
		return Word{}, false
	}
	if !solid(key) {
		w.aborts(st) // an empty one is an error
	}
	value := kept(w.word(st, assign.Value))
	if key.Kind == Literal {
		next.set(key.Text, value)
	} else {
		next.more = true
		next.words, next.keys = append(next.words, value), append(next.keys, "")
	}
	return Word{array: next}, len(next.words) <= maxWords
}

// located notes where the matches of patterns were looked for.
func located(st *state, words []Word) []Word {
	for i := range words {
		if words[i].Kind == Glob {
			words[i].dirs, words[i].Variables = st.dirs, nil
		}
	}
	return words
}

func (a *array) set(key string, value Word) {
	if at := slices.Index(a.keys, key); at >= 0 {
		a.words[at] = value
		return
	}
	a.words, a.keys = append(a.words, value), append(a.keys, key)
}

// kept is what a variable holds after it was assigned a word: a pattern is not
// expanded then.
func kept(value Word) Word {
	if value.Kind == Glob {
		return Word{Kind: Dynamic, Text: value.Text}
	}
	return value
}
