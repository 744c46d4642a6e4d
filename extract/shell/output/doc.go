// Package output describes the names that commands print, so that what reads them can be judged: files
// that they find, names that git lists of its index and of commits, words, refs and hashes.
package output
