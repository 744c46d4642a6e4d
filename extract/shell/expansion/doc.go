// Package expansion describes what the words of a command can be after expansion, and builds such
// words.
//
// A Word has a kind (Literal, Glob, Number and so on), a text, and the class of the strings that it
// can be. It also has the provenance of its text: variables, patterns, and names from a stream. A
// Builder makes a word of its parts in the order of the source. The operations on words are those
// that follow from the words alone: joining two values of a variable, taking one item of a loop, a
// part of a name, a member of an array.
//
// The package knows neither the state of the shell nor the commands of the line. Its callers say what
// the parts of a word expand to.
package expansion
