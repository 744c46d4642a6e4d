// Package config reads policyd's settings: the command line over POLICYD_*
// environment variables over a YAML file over defaults.
//
// Settings are trusted, but never guessed at: an unknown key, a key that occurs twice, a wrong type, a value
// out of range or an unset ${VAR} stops the start with an error that names the place and what is allowed
// there. A typing error in a list of secrets would otherwise be silent.
package config
