package console

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"policyd/internal/visible"
)

// SignIn signs operators in elsewhere. It is called concurrently.
type SignIn interface {
	// Begin returns the address at which a person signs in. state comes back with the browser, which has
	// neither nonce nor verifier.
	Begin(ctx context.Context, state, nonce, verifier string) (address string, err error)
	// Finish exchanges the code that came back with the browser, and returns the person. A person who may not
	// use the console is an error.
	Finish(ctx context.Context, code, nonce, verifier string) (name string, err error)
}

// signInLife bounds a sign-in, and signedInLife the session after it: the provider isn't asked again about a
// person's groups before it ends.
const (
	signInLife   = 10 * time.Minute
	signedInLife = 12 * time.Hour
)

// signInPath is where a sign-in begins; it ends below.
const signInPath = Root + "/signin"

// SignInBack is the path to which browsers return from a sign-in.
const SignInBack = signInPath + "/callback"

// signing has the key from which the secrets of sign-ins are derived. Nothing is stored for a sign-in: its
// secrets follow from the cookie of the browser, so nobody can crowd others out.
type signing struct{ key [32]byte }

func newSigning() signing {
	var made signing
	_, _ = rand.Read(made.key[:]) // it never fails: crypto/rand ends the program instead
	return made
}

// secrets are those of the sign-in with a cookie.
func (s *signing) secrets(cookie string) (state, nonce, verifier string) {
	one := func(purpose string) string {
		mac := hmac.New(sha256.New, s.key[:])
		mac.Write([]byte(purpose + " " + cookie))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return one("state"), one("nonce"), one("verifier")
}

func (c *Console) signInCookie(value string) *http.Cookie {
	// The browser comes back from another site.
	return c.cookie(c.cookieName()+"_signin", signInPath, value, signInLife, http.SameSiteLaxMode)
}

// beginSignIn redirects a browser to the provider.
func (c *Console) beginSignIn(w http.ResponseWriter, r *http.Request) {
	home, err := url.Parse(c.options.Home())
	if err != nil {
		c.fail(w, r, err)
		return
	}
	if r.Host != home.Host { // the cookie has to belong to the host to which the browser returns
		http.Redirect(w, r, c.options.Home()+signInPath, http.StatusSeeOther)
		return
	}
	cookie := strconv.FormatInt(c.options.Clock().Unix(), 10) + "." + secret()
	state, nonce, verifier := c.signing.secrets(cookie)
	address, err := c.options.SignIn.Begin(r.Context(), state, nonce, verifier)
	if err != nil {
		c.options.Logger.Error("nobody can sign in at the console", "error", err)
		c.refuse(w, r, http.StatusBadGateway, "the place to sign in can't be reached; policyd's log says why")
		return
	}
	http.SetCookie(w, c.signInCookie(cookie))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// endSignIn handles a browser that returns. It gets a one-time code, like a link, so that its session has its
// key.
func (c *Console) endSignIn(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, c.signInCookie(""))
	query := r.URL.Query()
	nonce, verifier, err := c.begun(r, query.Get("state"))
	if err != nil {
		c.refuse(w, r, http.StatusForbidden, err.Error())
		return
	}
	if refused := query.Get("error"); refused != "" {
		shown, _ := visible.Line(refused)
		c.refuse(w, r, http.StatusForbidden, "signing in was refused: "+shown)
		return
	}
	name, err := c.options.SignIn.Finish(r.Context(), query.Get("code"), nonce, verifier)
	if err != nil {
		c.options.Logger.Warn("somebody could not sign in at the console", "error", err)
		c.refuse(w, r, http.StatusForbidden, "you may not use this console, or signing in failed; policyd's log says why")
		return
	}
	who := Operator{Name: name, Credential: c.options.SignInCredential, Until: c.options.Clock().Add(signedInLife)}
	link, _ := c.Link("", who)
	http.Redirect(w, r, link, http.StatusSeeOther)
}

// begun checks that this browser began the sign-in with a state.
func (c *Console) begun(r *http.Request, state string) (nonce, verifier string, err error) {
	cookies := r.CookiesNamed(c.signInCookie("").Name)
	if len(cookies) != 1 {
		return "", "", errors.New("this browser has begun no sign-in; begin anew")
	}
	cookie := cookies[0].Value
	expected, nonce, verifier := c.signing.secrets(cookie)
	if !hmac.Equal([]byte(expected), []byte(state)) {
		return "", "", errors.New("this is another sign-in than the one that this browser began; begin anew")
	}
	text, _, _ := strings.Cut(cookie, ".")
	began, err := strconv.ParseInt(text, 10, 64)
	if err != nil || c.options.Clock().Sub(time.Unix(began, 0)) >= signInLife {
		return "", "", errors.New("this sign-in took too long; begin anew")
	}
	return nonce, verifier, nil
}
