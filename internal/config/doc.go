// Package config reads policyd's settings: the command line over POLICYD_*
// environment variables over a YAML file over defaults.
//
// Settings are trusted, but never guessed at. An unknown key, a key that occurs twice, a wrong type, a value
// out of range or an unset ${VAR} stops the start. The error has the place and the allowed values. Otherwise
// a typing error in a list of secrets would be silent.
package config
