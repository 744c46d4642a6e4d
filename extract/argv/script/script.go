// Package script reads the program texts that sed, awk, jq, yq, osascript and SQL clients get as arguments: does a
// text do more than read its input and print?
//
// A reader follows a text by the manuals, and refuses what implementations parse differently. A text that
// it can't follow to the end doesn't count as one that only prints. The package knows neither shells nor
// programs, and reads no file.
package script

import (
	"iter"
	"maps"

	"policyd/extract/sql"
)

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

// readers follow the texts of each language.
var readers = map[string]func(text string) Verdict{
	"sed":         prints(sedOnlyPrints),
	"awk":         awkVerdict,
	"jq":          jqVerdict,
	"yq":          prints(yqOnlyPrints),
	"applescript": prints(appleNotifies),
	sql.SQLite:    prints(func(text string) bool { return sql.Reads(sql.SQLite, text) }),
	sql.Postgres:  prints(func(text string) bool { return sql.Reads(sql.Postgres, text) }),
}

// prints is the reader of a language that knows neither the environment nor streams.
func prints(only func(text string) bool) func(string) Verdict {
	return func(text string) Verdict { return Verdict{OnlyPrints: only(text)} }
}

// Languages returns the names of the languages, in no order. They are kinds of the program table.
func Languages() iter.Seq[string] { return maps.Keys(readers) }

// Is reports whether a kind of the program table is a language.
func Is(kind string) bool { return readers[kind] != nil }

// Read returns the verdict of a text in a language.
func Read(language, text string) Verdict {
	if read := readers[language]; read != nil {
		return read(text)
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
