package v1

import (
	"fmt"
	"slices"
)

// Effect is the outcome of a decision. The zero value denies.
// EffectDeny beats EffectPrompt, EffectPrompt beats EffectAllow.
type Effect uint8

// The three outcomes, strictest first.
const (
	EffectDeny Effect = iota
	EffectPrompt
	EffectAllow
)

// String returns the word on the wire. A value out of range reads as "deny", the only safe meaning.
func (e Effect) String() string {
	switch e {
	case EffectAllow:
		return "allow"
	case EffectPrompt:
		return "prompt"
	case EffectDeny:
		return "deny"
	}
	return "deny"
}

// ParseEffect reads the word of an effect. Unknown text is EffectDeny and an error.
func ParseEffect(text string) (Effect, error) {
	switch text {
	case "allow":
		return EffectAllow, nil
	case "prompt":
		return EffectPrompt, nil
	case "deny":
		return EffectDeny, nil
	}
	return EffectDeny, fmt.Errorf("parse effect: %q is none of allow, prompt, deny", text)
}

// MarshalText implements encoding.TextMarshaler. The bytes are shared: they may be read,
// and appended to, which copies them.
func (e Effect) MarshalText() ([]byte, error) {
	switch e {
	case EffectAllow:
		return allowText, nil
	case EffectPrompt:
		return promptText, nil
	case EffectDeny:
		return denyText, nil
	}
	return denyText, nil
}

// Every decision and each of its reasons is written as one of these.
var (
	allowText  = slices.Clip([]byte(EffectAllow.String()))
	promptText = slices.Clip([]byte(EffectPrompt.String()))
	denyText   = slices.Clip([]byte(EffectDeny.String()))
)

// UnmarshalText implements encoding.TextUnmarshaler. On unknown text the
// effect is EffectDeny and an error is returned.
func (e *Effect) UnmarshalText(text []byte) error {
	parsed, err := ParseEffect(string(text))
	*e = parsed
	return err
}

// Stricter returns the stricter of two effects.
func Stricter(a, b Effect) Effect { return min(a, b) }
