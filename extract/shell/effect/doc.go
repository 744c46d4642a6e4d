// Package effect reads the words of one command by the program table: which options and operands they
// are, and what the command does with them. It writes that into a command.Command: accesses, form,
// caveats, risks, the commands that the command runs.
//
// Reader.Begin takes the words, and the Surroundings that they are read in: the table, the dialect, the
// directories in force, what standard input is. What only the interpreter of the line knows, its
// interface Shell answers. The package changes no state of a line: commands that this one runs are
// returned as words, in After and Started, for the interpreter to walk.
package effect
