package shell

import (
	"slices"
	"strconv"
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/tree"
	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// array is what an array of the line holds, or what the positional parameters
// of a function are.
type array struct {
	words []Word
}

// first is what the array is without a subscript.
func (a *array) first() (Word, bool) { return a.at(0) }

// at is the member with a number, where those before it are one word each.
func (a *array) at(index int) (Word, bool) {
	if index >= len(a.words) {
		some := slices.ContainsFunc(a.words, func(word Word) bool { return !single(word) })
		return Word{Kind: Literal}, !some
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

// single reports whether a word is exactly one when the shell is through with it.
func single(word Word) bool {
	return word.Kind == Literal && word.Extended == "" || !word.Split && !word.Vanishes && word.Kind != Glob && (word.Kind != Names || word.stream != nil && !word.stream.Several)
}

// plain reports whether words of an array are text and nothing else.
func (a *array) plain() bool {
	return !slices.ContainsFunc(a.words, func(word Word) bool { return word.Kind == Dynamic || word.Kind == Pipe })
}

// members expands a word that is all members of an array, or all positional parameters, into one
// word each. A slice of them, and their subscripts, aren't followed.
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
	switch {
	case part.Slice != nil || part.Excl:
		return nil, false
	case quoted && star:
		return list.joined()
	}
	return inPlace(s.st, slices.Clone(list.words), quoted), true
}

// inPlace changes members of an array into what they are as words of a command.
func inPlace(st *state, members []Word, quoted bool) []Word {
	for i := range members {
		member := &members[i]
		if member.Kind == Glob && !strings.HasPrefix(member.Text, "/") && !slices.Equal(member.dirs, st.cwd.Known) {
			member.Kind = Dynamic
		}
		if !quoted && member.Kind != Literal {
			member.Split, member.Recut = true, true
		}
	}
	return members
}

// resplits reports whether a word outside of quotes becomes others than it is.
func (s *surroundings) resplits(word Word) bool {
	return word.Kind == Literal && (word.Text == "" || s.Rereads(word.Text))
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

// assignArray reads an assignment that makes an array, or appends to one. Subscripts are expressions,
// or keys of an associative array: what they assign to isn't known.
func assignArray(w *walker, st *state, assign *syntax.Assign) (Word, bool) {
	if w.Zsh || assign.Name == nil || assign.Array == nil || !w.local(assign.Name.Value) {
		return Word{}, false
	}
	if w.Posix {
		w.messy(guard.MessyDialect) // which only some shells called sh take for an array
	}
	next := &array{}
	if assign.Append {
		old := st.array(assign.Name.Value)
		if old == nil {
			return Word{}, false
		}
		next.words = slices.Clone(old.words)
	}
	for _, element := range assign.Array.Elems {
		if element.Value == nil || element.Index != nil || len(next.words) > maxWords {
			return Word{}, false
		}
		words := w.words(st, element.Value)
		w.handsOn(st, words)
		next.words = append(next.words, located(st, words)...)
	}
	return Word{array: next}, len(next.words) <= maxWords
}

// located notes where the matches of patterns were looked for.
func located(st *state, words []Word) []Word {
	for i := range words {
		if words[i].Kind == Glob {
			words[i].dirs, words[i].Variables = st.cwd.Known, nil
		}
	}
	return words
}
