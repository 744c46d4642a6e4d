package store

import (
	"context"
	"fmt"

	v1 "policyd/api/v1"
)

const promptColumns = `id, state, kind, call_key, body, scope, answer`

func scanPrompt(row scanner) (Prompt, error) {
	var prompt Prompt
	var id, state, body, scope string
	var answer *string
	if err := row.Scan(&id, &state, &prompt.Kind, &prompt.Key, &body, &scope, &answer); err != nil {
		return Prompt{}, err
	}
	if err := decode(body, &prompt.Prompt); err != nil {
		return Prompt{}, err
	}
	if err := decode(scope, &prompt.Scope); err != nil {
		return Prompt{}, err
	}
	prompt.ID, prompt.State, prompt.Answer = id, state, nil
	if answer != nil {
		prompt.Answer = &v1.PromptAnswer{}
		if err := decode(*answer, prompt.Answer); err != nil {
			return Prompt{}, err
		}
	}
	return prompt, nil
}

// encodePrompt returns the body and the scope.
func encodePrompt(prompt Prompt) (body, scope string, err error) {
	if err := checkText(prompt.Directory, prompt.Call.Cwd, prompt.Call.GrantRoot); err != nil {
		return "", "", err
	}
	for _, item := range prompt.Scope.Items {
		if err := checkText(item.Verb, item.Directory); err != nil {
			return "", "", err
		}
	}
	prompt.CreatedAt, prompt.ExpiresAt = rounded(prompt.CreatedAt), rounded(prompt.ExpiresAt)
	if body, err = encode(prompt.Prompt); err != nil {
		return "", "", err
	}
	scope, err = encode(prompt.Scope)
	return body, scope, err
}

// OpenPrompt adds a prompt, in its state. The error is ErrConflict if its id is in use or its session was
// archived.
func (s *Store) OpenPrompt(ctx context.Context, prompt Prompt) error {
	body, scope, err := encodePrompt(prompt)
	if err != nil {
		return fmt.Errorf("open prompt: %w", err)
	}
	var ended any // one that is opened as ended is swept like any other
	if prompt.State != v1.PromptPending {
		ended = micros(prompt.CreatedAt)
	}
	err = s.write(ctx, 0, func(ctx context.Context, t *transaction) error {
		if err := t.live(ctx, prompt.Call.SessionID); err != nil {
			return err
		}
		added, err := t.exec(ctx, `INSERT INTO prompts (id, state, session, kind, call_key, expires_at, ended_at, body, scope)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING`,
			prompt.ID, prompt.State, prompt.Call.SessionID, prompt.Kind, prompt.Key, micros(prompt.ExpiresAt), ended, body, scope)
		if err == nil && added == 0 {
			err = ErrConflict
		}
		t.changed(tablePrompts, prompt.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("open prompt: %w", err)
	}
	return nil
}

// Prompt returns a prompt in any state. The error is ErrNotFound if there is none.
func (s *Store) Prompt(ctx context.Context, id string) (Prompt, error) {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	prompt, err := one(ctx, s.reader, scanPrompt, `SELECT `+promptColumns+` FROM prompts WHERE id = $1`, id)
	if err != nil {
		return Prompt{}, fmt.Errorf("read prompt: %w", err)
	}
	return prompt, nil
}

// Prompts returns up to limit prompts in a state, or in any for "", with ids after the given one, in the
// order of their ids. A limit below one returns none.
func (s *Store) Prompts(ctx context.Context, state, after string, limit int) ([]Prompt, error) {
	query, arguments := `SELECT `+promptColumns+` FROM prompts WHERE id > $1`, []any{after, limited(limit)}
	if state != "" {
		query, arguments = query+` AND state = $3`, append(arguments, state)
	}
	prompts, err := listAll(ctx, s, scanPrompt, query+` ORDER BY id LIMIT $2`, arguments...)
	if err != nil {
		return nil, fmt.Errorf("list prompts: %w", err)
	}
	return prompts, nil
}
