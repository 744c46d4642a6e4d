// Package console serves the pages on which operators answer prompts, look at decisions and take
// remembered answers back.
//
// It trusts whoever holds a session cookie, which is given in exchange for a one-time code that
// an operator's credential asked for, and nothing that an agent wrote: every such text is shown
// as text. What it promises to keep: no page loads or sends anything to another host; every
// response has the same strict headers; a write is taken only from a page of this console; a
// session ends with the credential that it was made with.
package console
