package shell

import v1 "policyd/api/v1"

// extended returns what has to hold for a word with one of the characters that
// zsh reads as a pattern under EXTENDED_GLOB (HEAD^, main~2) to be itself: that
// nothing begins as it does. Without a match zsh reports an error.
func extended(word Word) []Access {
	if word.Kind != Literal || word.Extended == "" {
		return nil
	}
	return []Access{{Text: word.Extended, Op: v1.OpList, Naming: ByGlob, Matches: NoMatch}}
}
