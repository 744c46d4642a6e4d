package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"policyd/internal/visible"
)

// listing is one page of a list, as the API answers it.
type listing struct {
	Next string `json:"next"`
}

// pages calls take with each page of a list.
func pages(ctx context.Context, o *operator, path string, take func(page json.RawMessage) error) error {
	for after := ""; ; {
		address := path
		if after != "" {
			separator := "?"
			if parsed, err := url.Parse(path); err == nil && parsed.RawQuery != "" {
				separator = "&"
			}
			address += separator + "after=" + url.QueryEscape(after)
		}
		var page json.RawMessage
		if _, err := o.do(ctx, http.MethodGet, address, nil, &page); err != nil {
			return err
		}
		if err := take(page); err != nil {
			return err
		}
		var more listing
		if err := json.Unmarshal(page, &more); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		if more.Next == "" {
			return nil
		}
		after = more.Next
	}
}

// errEnough ends the reading of pages.
var errEnough = errors.New("enough was read")

// gather reads a whole list. list returns the members of one page.
func gather[Page, Member any](ctx context.Context, o *operator, path string, list func(*Page) []Member) ([]Member, error) {
	all, _, err := gatherUpTo(ctx, o, path, 0, list)
	return all, err
}

// idsOf are the ids of the members of a list.
func idsOf[Member any](list []Member, id func(*Member) string) []string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = id(&list[i])
	}
	return ids
}

// gatherUpTo reads at most limit members of a list, or all for 0. more is true if there are
// others.
func gatherUpTo[Page, Member any](
	ctx context.Context, o *operator, path string, limit int, list func(*Page) []Member,
) (all []Member, more bool, err error) {
	all = []Member{}
	err = pages(ctx, o, path, func(text json.RawMessage) error {
		var page Page
		if err := json.Unmarshal(text, &page); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		if all = append(all, list(&page)...); limit > 0 && len(all) > limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return all[:limit], true, nil
	}
	return all, false, err
}

// printJSON prints what a machine reads.
func (p *Program) printJSON(value any) error {
	encoder := json.NewEncoder(p.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// say prints one line for people: text arguments can't begin another one.
func (p *Program) say(format string, args ...any) error {
	for i := range args {
		if text, isText := args[i].(string); isText {
			args[i], _ = visible.Line(text)
		}
	}
	return p.show(fmt.Sprintf(format, args...))
}

// show prints a text of any number of lines for people.
func (p *Program) show(text string) error {
	if _, err := fmt.Fprintln(p.Stdout, text); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
