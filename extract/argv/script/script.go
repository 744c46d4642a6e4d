// Package script reads the program texts that sed, awk, jq, yq and SQL clients get as arguments: does a
// text do more than read its input and print?
//
// A reader follows a text by the manuals, and refuses what implementations parse differently. A text that
// it can't follow to the end doesn't count as one that only prints. The package knows neither shells nor
// programs, and reads no file.
package script

import "policyd/extract/sql"

// Verdict is what a program text can do. The zero value is that of a text that can do anything.
type Verdict struct {
	// OnlyPrints is true if the text only reads its input and prints.
	OnlyPrints bool
	// Environment is true if it reads the environment.
	Environment bool
	// Streams are the standard streams that it prints to by their names, which some
	// programs open like any other file.
	Streams []string
}

// Read returns the verdict of a program text of sed, awk, jq, yq, or a dialect of SQL.
func Read(language, text string) Verdict {
	switch language {
	case "sed":
		return Verdict{OnlyPrints: sedOnlyPrints(text)}
	case "awk":
		return awkVerdict(text)
	case "jq":
		return jqVerdict(text)
	case "yq":
		return Verdict{OnlyPrints: yqOnlyPrints(text)}
	case sql.SQLite, sql.Postgres:
		return Verdict{OnlyPrints: sql.Reads(language, text)}
	}
	return Verdict{}
}

// stringEnd returns the index behind the string that begins at text[start], or -1.
func stringEnd(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[start]:
			return i + 1
		}
	}
	return -1
}
