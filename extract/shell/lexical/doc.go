// Package lexical reads the text of shell words and of the few languages beside them: quoting,
// numbers, patterns, regular expressions, paths as they are spelled. Its answers follow from a
// text alone, without a syntax tree, a state of the shell or a disk.
package lexical
