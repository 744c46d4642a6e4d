// Package install writes policyd's hooks into the settings of agent programs,
// and takes them out again.
//
// The files are other people's: what is in them stays byte for byte, comments too, and what was added is
// found again and removed. A file that can't be read whole is refused and left alone. What it promises to
// keep: an install that is repeated changes nothing, and an uninstall after an install gives the bytes from
// before.
package install
