// Package install writes policyd's hooks into the settings of agent programs, and removes them.
//
// The files are other people's: their content stays byte for byte, comments too, and additions can be
// recognized and removed. A file that can't be parsed completely is refused and left alone. Guarantees: a
// repeated install changes nothing, and an uninstall after an install restores the bytes from before.
package install
