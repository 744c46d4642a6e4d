// Package tree asks questions about the syntax tree of a line that the tree alone answers: what
// text a word holds, which descriptor a redirection sets, whether an operator assigns. It keeps no
// state and follows no variable.
package tree
