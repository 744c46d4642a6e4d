// Package signin signs people in at an OpenID Connect provider.
//
// It trusts the configured provider, for what it signs, and nothing that a browser sends. Guarantee: nobody
// is signed in without an ID token of this issuer, for this client, for this sign-in, that hasn't expired,
// and that contains a group from the settings.
package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// patience bounds a request to the provider.
const patience = 10 * time.Second

// ErrNoGroup states that a person is in no group of the settings.
var ErrNoGroup = errors.New("no group of this person may use the console")

// Options configure where people sign in, and who may. All are required except Secret.
type Options struct {
	// Issuer is the provider's address, Client is policyd's id at the provider. Secret is empty for a client
	// without one.
	Issuer, Client, Secret string
	// Scopes are requested in addition to openid.
	Scopes []string
	// Claim is the claim of the ID token with a person's groups, a list or one text.
	Claim string
	// Groups are those whose members may sign in.
	Groups []string
	// Back is the address to which the provider sends browsers back.
	Back  func() string
	Clock func() time.Time
}

// Provider signs people in. It may be used concurrently. It fetches the provider's configuration at the first
// sign-in, and again if that failed.
type Provider struct {
	options Options
	client  *http.Client

	mu    sync.Mutex
	found *oidc.Provider
}

// New returns a provider; it sends no request.
func New(options Options) *Provider {
	// A provider that moved needs a new setting; the client's secret is sent nowhere else.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Provider{options: options, client: &http.Client{Timeout: patience, CheckRedirect: stay}}
}

// Begin returns the address at which a person signs in. state, nonce and verifier are secrets of this
// sign-in: the browser returns state, and Finish needs the others.
func (p *Provider) Begin(ctx context.Context, state, nonce, verifier string) (address string, err error) {
	config, _, err := p.configuration(ctx)
	if err != nil {
		return "", err
	}
	return config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// claims are those of an ID token that state who a person is.
type claims struct {
	Authorized string `json:"azp"`
	Email      string `json:"email"`
	// Verified is true for an address that the provider has checked. Some providers write it as a text.
	Verified any `json:"email_verified"`
}

// Finish handles the provider's response in the browser's request, and returns the person: the address that
// the provider has verified, and else "oidc:" and the provider's id of the person.
func (p *Provider) Finish(ctx context.Context, code, nonce, verifier string) (name string, err error) {
	config, provider, err := p.configuration(ctx)
	if err != nil {
		return "", err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	got, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return "", fmt.Errorf("exchange code: %w", err)
	}
	raw, _ := got.Extra("id_token").(string)
	// With an empty text, the verifier fails.
	token, err := provider.Verifier(&oidc.Config{ClientID: p.options.Client, Now: p.options.Clock}).Verify(ctx, raw)
	if err != nil {
		return "", fmt.Errorf("verify ID token: %w", err)
	}
	var said claims
	var all map[string]json.RawMessage
	if err := errors.Join(token.Claims(&said), token.Claims(&all)); err != nil {
		return "", fmt.Errorf("read ID token: %w", err)
	}
	switch {
	case token.Nonce != nonce:
		return "", errors.New("verify ID token: it is of another sign-in")
	case said.Authorized != "" && said.Authorized != p.options.Client, said.Authorized == "" && len(token.Audience) > 1:
		return "", errors.New("verify ID token: it is for another client")
	case token.Subject == "":
		return "", errors.New("verify ID token: it names nobody")
	case !slices.ContainsFunc(groups(all[p.options.Claim]), func(group string) bool { return slices.Contains(p.options.Groups, group) }):
		return "", ErrNoGroup
	}
	if said.Email != "" && (said.Verified == true || said.Verified == "true") {
		return said.Email, nil
	}
	return "oidc:" + token.Subject, nil
}

// groups decodes a claim that is a list of texts or one; anything else has no groups.
func groups(claim json.RawMessage) []string {
	var list []string
	if json.Unmarshal(claim, &list) == nil {
		return list
	}
	var one string
	if json.Unmarshal(claim, &one) == nil {
		return []string{one}
	}
	return nil
}

// configuration is the provider's published configuration.
func (p *Provider) configuration(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		// The provider keeps the context for its keys, so it may not end with this request.
		found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.options.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("ask the provider what it is: %w", err)
		}
		p.found = found
	}
	return &oauth2.Config{
		ClientID: p.options.Client, ClientSecret: p.options.Secret, Endpoint: p.found.Endpoint(), RedirectURL: p.options.Back(),
		Scopes: append([]string{oidc.ScopeOpenID}, p.options.Scopes...),
	}, p.found, nil
}
