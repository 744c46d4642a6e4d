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

// numbered is the member with a decimal subscript. It reports false for other subscripts.
func (a *array) numbered(subscript syntax.ArithmExpr) (Word, bool) {
	word, ok := subscript.(*syntax.Word)
	if !ok || !value.IsDecimal(word.Lit()) {
		return Word{}, false
	}
	index, err := strconv.Atoi(word.Lit())
	if err != nil {
		return Word{}, false
	}
	return a.at(index)
}

// found is any one member of an array that holds nothing but names that a command found: one
// of them, or none.
func (a *array) found() (Word, bool) {
	if len(a.words) != 1 || a.more || a.words[0].Kind != Names || a.words[0].stream == nil || !a.words[0].stream.Several {
		return Word{}, false
	}
	one := *a.words[0].stream
	if one.Several, one.Empty = false, true; a.words[0].Recut {
		one.Handing = value.AsWords
	}
	return wordOfNames(&one, a.words[0].Text), true
}

// single reports whether a word is exactly one when the shell is through with it.
func single(word Word) bool {
	return word.Kind == Literal && word.Extended == "" || !word.Split && !word.Vanishes && word.Kind != Glob && (word.Kind != Names || word.stream != nil && !word.stream.Several)
}

// plain reports whether words of an array are text and nothing else.
func (a *array) plain() bool {
	return !slices.ContainsFunc(a.words, func(word Word) bool { return word.Kind == Dynamic || word.Kind == Pipe })
}

// key reads the subscript of an associative array.
func (s splitter) key(index syntax.ArithmExpr) (Word, bool) {
	word, ok := index.(*syntax.Word)
	if !ok {
		return Word{}, false
	}
	key := s.w.word(s.st, word)
	switch key.Kind {
	case Literal:
		return key, key.Text != "" && key.Text != "@" && key.Text != "*" && strings.Trim(key.Text, lexical.OperandBytes) == ""
	case Number, Output, Names, Hash:
		return key, true
	default:
		return Word{}, false
	}
}

// members expands a word that is all members of an array, or all positional parameters, into one
// word each.
func (s splitter) members(word *syntax.Word) ([]Word, bool) {
	part, quoted := tree.LoneParameter(word)
	if part == nil {
		return nil, false
	}
	name, star, ok := tree.AllMembers(part)
	if !ok || part.Index != nil && s.w.Zsh {
		return nil, false
	}
	list := s.st.array(name)
	if list == nil || s.st.assigned("IFS") || !quoted && slices.ContainsFunc(list.words, s.w.resplits) {
		return nil, false
	}
	return s.membersOf(list, part, quoted, star)
}

// membersOf are the members of an array, or its subscripts, that an expansion becomes.
func (s splitter) membersOf(list *array, part *syntax.ParamExp, quoted, star bool) ([]Word, bool) {
	name, subscripts := part.Param.Value, part.Excl
	if name == "*" {
		name = "@"
	}
	switch {
	case list.unordered() && !s.w.anyOrder:
		return []Word{{Kind: Output, Text: "${" + name + "[@]}", Split: true, Vanishes: true}}, list.plain()
	case part.Slice != nil && (subscripts || !quoted || star), list.more && !subscripts:
		return nil, false
	case subscripts:
		words := list.subscripts()
		return words, words != nil
	case quoted && star:
		return list.joined()
	}
	members, ok := list.sliced(part.Slice)
	return inPlace(s.st, members, quoted), ok
}

// inPlace changes members of an array into what they are as words of a command.
func inPlace(st *state, members []Word, quoted bool) []Word {
	for i := range members {
		member := &members[i]
		if member.Kind == Glob && !strings.HasPrefix(member.Text, "/") && !slices.Equal(member.dirs, st.dirs) {
			member.Kind = Dynamic
		}
		if !quoted && member.Kind != Literal {
			member.Split, member.Recut = true, true
		}
	}
	return members
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
	case len(members) == 1 && (members[0].Kind == Glob || members[0].Kind == Names):
		members[0].Vanishes = true
		return members, true
	}
	return nil, false
}

// unordered reports whether only the shell knows the order of the members.
func (a *array) unordered() bool { return a.associative && len(a.words) > 1 }

// resplits reports whether a word outside of quotes becomes others than it is.
func (s *surroundings) resplits(word Word) bool {
	return word.Kind == Literal && (word.Text == "" || s.Rereads(word.Text))
}

// subscripts are those of all members, nil if they aren't known.
func (a *array) subscripts() []Word {
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

// arrayAssignment is an assignment that makes an array, appends to one, or sets one member.
type arrayAssignment struct {
	w    *walker
	st   *state
	from *syntax.Assign
	// old is the array before, nil if the variable was none; next is the one behind.
	old, next *array
}

// assignArray reads an assignment to an array. associative is true if the line declares it so.
func assignArray(w *walker, st *state, assign *syntax.Assign, associative bool) (Word, bool) {
	if w.Zsh || assign.Name == nil || assign.Naked || assign.Array == nil && assign.Index == nil || !w.local(assign.Name.Value) {
		return Word{}, false
	}
	if w.Posix {
		w.messy(guard.MessyDialect) // which only some shells called sh take for an array
	}
	a := arrayAssignment{w: w, st: st, from: assign, old: st.array(assign.Name.Value), next: &array{associative: associative}}
	a.next.begin(a.old, assign.Append || assign.Index != nil)
	ok := false
	switch {
	case assign.Index != nil:
		ok = a.member()
	case assign.Array != nil && (!assign.Append || a.old != nil):
		ok = !slices.ContainsFunc(assign.Array.Elems, func(element *syntax.ArrayElem) bool { return !a.element(element) })
	}
	if !ok {
		return Word{}, false
	}
	return Word{array: a.next}, len(a.next.words) <= maxWords
}

// begin takes over the kind of the array before, and its members if they are kept.
func (a *array) begin(old *array, kept bool) {
	if old == nil {
		return
	}
	a.associative = old.associative
	if kept {
		a.words, a.keys, a.more = slices.Clone(old.words), slices.Clone(old.keys), old.more
	}
}

// element adds a member of the list. It reports false if it isn't known which one.
func (a *arrayAssignment) element(element *syntax.ArrayElem) bool {
	if len(a.next.words) > maxWords {
		return true // too many already
	}
	if element.Value == nil || a.next.associative != (element.Index != nil) {
		return false // numbers in brackets are expressions
	}
	if !a.next.associative {
		words := a.w.words(a.st, element.Value)
		dropUnmatched(a.st, words)
		a.w.handsOn(a.st, words)
		a.next.words = append(a.next.words, located(a.st, words)...)
		return true
	}
	key, ok := splitter{w: a.w, st: a.st}.key(element.Index)
	value := a.w.word(a.st, element.Value)
	if !ok || key.Kind != Literal {
		return false
	}
	a.next.set(key.Text, assignedMember(value))
	return true
}

// member sets name[key]=value of an associative array.
func (a *arrayAssignment) member() bool {
	if a.old == nil || !a.old.associative || a.from.Value == nil || a.from.Append {
		return false
	}
	key, ok := splitter{w: a.w, st: a.st}.key(a.from.Index)
	if !ok {
		return false
	}
	if key.mayBeEmpty() {
		a.w.aborts(a.st) // an empty one is an error
	}
	value := assignedMember(a.w.word(a.st, a.from.Value))
	if key.Kind == Literal {
		a.next.set(key.Text, value)
	} else {
		a.next.more = true
		a.next.words, a.next.keys = append(a.next.words, value), append(a.next.keys, "")
	}
	return true
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

// of is the member with a key, empty if there is none.
func (a *array) of(key string) Word {
	if at := slices.Index(a.keys, key); at >= 0 {
		return a.words[at]
	}
	return Word{Kind: Literal}
}

func (a *array) set(key string, value Word) {
	if at := slices.Index(a.keys, key); at >= 0 {
		a.words[at] = value
		return
	}
	a.words, a.keys = append(a.words, value), append(a.keys, key)
}

// assignedMember is what a member holds that was assigned a word: shells don't expand a pattern then.
func assignedMember(value Word) Word {
	if value.Kind == Glob {
		return Word{Kind: Dynamic, Text: value.Text}
	}
	return value
}
