package expansion

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/value"
)

// Array is what an array of the line holds, or what the positional parameters
// of a function are.
type Array struct {
	Words []Word
}

// First is what the array is without a subscript.
func (a *Array) First() (Word, bool) { return a.At(0) }

// At is the member with a number, where those before it are one word each.
func (a *Array) At(index int) (Word, bool) {
	if index >= len(a.Words) {
		some := slices.ContainsFunc(a.Words, func(word Word) bool { return !IsSingle(word) })
		return Word{Kind: Literal}, !some
	}
	for i, word := range a.Words[:index+1] {
		if !IsSingle(word) && (i < index || word.Kind != Glob || word.Recut) {
			return Word{}, false
		}
	}
	return a.Words[index], true // of a pattern one of its matches, as in a loop
}

// Numbered is the member with a decimal subscript. It reports false for other subscripts.
func (a *Array) Numbered(subscript syntax.ArithmExpr) (Word, bool) {
	word, ok := subscript.(*syntax.Word)
	if !ok || !value.IsDecimal(word.Lit()) {
		return Word{}, false
	}
	index, err := strconv.Atoi(word.Lit())
	if err != nil {
		return Word{}, false
	}
	return a.At(index)
}

// IsSingle reports whether a word is exactly one when the shell is through with it.
func IsSingle(word Word) bool {
	return word.Kind == Literal && word.Extended == "" || !word.Split && !word.Vanishes && word.Kind != Glob && (word.Kind != Names || word.Stream != nil && !word.Stream.Several)
}

// Plain reports whether words of an array are text and nothing else.
func (a *Array) Plain() bool {
	return !slices.ContainsFunc(a.Words, func(word Word) bool { return word.Kind == Dynamic || word.Kind == Pipe })
}

// InPlace changes members of an array into what they are as words of a command.
func InPlace(cwd *value.Directories, members []Word, quoted bool) []Word {
	for i := range members {
		member := &members[i]
		if member.Kind == Glob && !strings.HasPrefix(member.Text, "/") && !slices.Equal(member.dirs, cwd.Known) {
			member.Kind = Dynamic
		}
		if !quoted && member.Kind != Literal {
			member.Split, member.Recut = true, true
		}
	}
	return members
}

// Joined is all members as one word, with blanks between them.
func (a *Array) Joined() ([]Word, bool) {
	var texts []string
	length := 0
	for _, word := range a.Words {
		if length += 1 + len(word.Text); word.Kind != Literal || length > maxText {
			return nil, false
		}
		texts = append(texts, word.Text)
	}
	return []Word{{Kind: Literal, Text: strings.Join(texts, " ")}}, true
}

// AddDirectories notes where the matches of patterns were looked for.
func AddDirectories(dirs []string, words []Word) []Word {
	for i := range words {
		if words[i].Kind == Glob {
			words[i].dirs, words[i].Variables = dirs, nil
		}
	}
	return words
}
