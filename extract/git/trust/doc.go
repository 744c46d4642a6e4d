// Package trust answers whether the repository that git would find could make it run a program,
// and what settings in force make git print, without ever running git.
//
// It trusts the file system to be what it was when it was read: between the
// answer and the command the repository can change. It trusts the person's own
// configuration (~/.gitconfig, the XDG file, the system file) unless that file
// lies in the workspace. It expects the environment to be judged elsewhere:
// GIT_* variables, HOME and XDG_CONFIG_HOME assigned by a command line make
// every answer void.
//
// Configuration is judged by an allowlist (keys.json): a key that is not
// listed, a file that does not parse and a layout that is not one of git's own
// (a .git directory, a linked work tree, a submodule) are not trusted.
package trust
