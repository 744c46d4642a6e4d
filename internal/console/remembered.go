package console

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// rememberedData is what people answered and is still active.
type rememberedData struct {
	Page      string
	Approvals []approvalRow
	Grants    []grantRow
}

// approvalRow is an approval, and what it has covered among the decisions that are known.
type approvalRow struct {
	ID, Text, Scope, By string
	Given               time.Time
	Expires             *time.Time
	Project, Anywhere   bool
	// Changeable is true if it can be narrowed: to a time, or to a directory.
	Changeable bool
	Used       time.Time
	Count      int
	Lately     []string
}

type grantRow struct {
	ID, Label, Holder, Session, Agent, Origin string
	Given                                     time.Time
}

// latelyShown is how many calls follow an approval.
const latelyShown = 3

func (c *Console) remembered(w http.ResponseWriter, r *http.Request, _ Operator) {
	data := rememberedData{Page: "remembered"}
	known, err := c.ledger.recent(r.Context())
	if err != nil {
		known = nil // recent covers are left out
	}
	entries, err := c.approvals()
	if err != nil {
		c.fail(w, r, err)
		return
	}
	for i := range entries {
		data.Approvals = append(data.Approvals, c.approvalRow(&entries[i], known))
	}
	if data.Grants, err = c.grants(r); err != nil {
		c.fail(w, r, err)
		return
	}
	c.render(w, http.StatusOK, "remembered.html", &data)
}

func (c *Console) approvals() ([]v1.ApprovalEntry, error) {
	var all []v1.ApprovalEntry
	for after := ""; ; {
		page, next, err := c.options.Approvals.List(after, 500)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if after = next; after == "" {
			return all, nil
		}
	}
}

func (c *Console) approvalRow(given *v1.ApprovalEntry, known []entry) approvalRow {
	row := approvalRow{
		ID: given.ID, Text: shown(given.Words()), Scope: shown(scope(given)), By: shown(given.By),
		Given: given.CreatedAt, Expires: given.ExpiresAt, Project: given.Tool == v1.ToolProject,
		Anywhere: given.Directory == nil, Changeable: given.Session == "",
	}
	for i := range known {
		if known[i].At.Before(given.CreatedAt) || !covers(given, &known[i]) {
			continue
		}
		if row.Count++; row.Count == 1 {
			row.Used = known[i].At
		}
		if len(row.Lately) < latelyShown && !slices.Contains(row.Lately, known[i].Text) {
			row.Lately = append(row.Lately, known[i].Text)
		}
	}
	return row
}

// scope describes where and for whom an approval applies.
func scope(given *v1.ApprovalEntry) string {
	parts := []string{"audience " + string(given.Audience), "agent " + given.Agent}
	if given.Session != "" {
		parts = append(parts, "session "+given.Session)
	}
	return strings.Join(parts, ", ")
}

// covers reports whether an approval can be what allowed an item of a decision: records name the
// rule that covered, and not the approval.
func covers(given *v1.ApprovalEntry, made *entry) bool {
	if given.Agent != "*" && given.Agent != made.Agent || given.Session != "" && given.Session != made.Session {
		return false
	}
	return slices.ContainsFunc(made.Items, func(item v1.DecisionItem) bool {
		if given.Tool == v1.ToolProject {
			return strings.HasPrefix(item.CoveredBy, "project") && below(item.Directory, *given.Directory)
		}
		return strings.HasPrefix(item.CoveredBy, "approvals/") && item.Verb == given.Verb &&
			(given.Directory == nil || below(item.Directory, *given.Directory))
	})
}

func below(path, root string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

// grants lists the path grants of sessions and of the agents that have any.
func (c *Console) grants(r *http.Request) ([]grantRow, error) {
	sessions, err := c.allSessions(r)
	if err != nil {
		return nil, err
	}
	holders, rows := []v1.Holder{}, []grantRow{}
	for i := range sessions {
		holders = append(holders, v1.Holder{Session: sessions[i].ID})
		if agent := (v1.Holder{Agent: sessions[i].Agent}); sessions[i].Agent != "" && !slices.Contains(holders, agent) {
			holders = append(holders, agent)
		}
	}
	for _, holder := range holders {
		list, err := c.options.Sessions.ListGrants(r.Context(), holder)
		var coded *v1.CodedError
		if errors.As(err, &coded) && coded.Code == "not_found" {
			continue // it ended meanwhile
		}
		if err != nil {
			return nil, err
		}
		for i := range list {
			grant := &list[i]
			who := "agent " + grant.Agent
			if grant.Session != "" {
				who = "session " + grant.Session
			}
			rows = append(rows, grantRow{
				ID: grant.ID, Label: shown(grant.Label), Holder: shown(who), Session: grant.Session, Agent: grant.Agent,
				Origin: grant.Origin, Given: grant.CreatedAt,
			})
		}
	}
	return rows, nil
}

// revoke revokes an approval or a grant.
func (c *Console) revoke(w http.ResponseWriter, r *http.Request, _ Operator) {
	request, err := read[struct {
		Approval string `json:"approval,omitempty"`
		Grant    string `json:"grant,omitempty"`
		Session  string `json:"session,omitempty"`
		Agent    string `json:"agent,omitempty"`
	}](r)
	switch {
	case err != nil:
	case request.Approval != "":
		err = c.options.Approvals.Revoke(r.Context(), request.Approval)
	default:
		err = c.options.Sessions.Revoke(r.Context(), v1.Holder{Session: request.Session, Agent: request.Agent}, request.Grant)
	}
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.reply(w, http.StatusOK, map[string]any{"message": "Revoked."})
}

// narrow narrows an approval: to a directory, or to a time.
func (c *Console) narrow(w http.ResponseWriter, r *http.Request, who Operator) {
	request, err := read[struct {
		Approval  string `json:"approval"`
		Directory string `json:"directory,omitempty"`
		TTL       string `json:"ttl,omitempty"`
	}](r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	entries, err := c.approvals()
	if err != nil {
		c.fail(w, r, err)
		return
	}
	at := slices.IndexFunc(entries, func(given v1.ApprovalEntry) bool { return given.ID == request.Approval })
	if at < 0 || entries[at].Session != "" {
		c.refuse(w, r, http.StatusNotFound, "there is no such approval that can be narrowed")
		return
	}
	given := &entries[at]
	less := v1.ApprovalRequest{
		Audience: given.Audience, Agent: given.Agent, Tool: given.Tool, Verb: given.Verb, Directory: given.Directory, Risks: given.Risks,
		Worktrees: given.Worktrees, TTL: request.TTL, By: who.Name, Force: true,
	}
	if request.Directory != "" {
		if given.Directory != nil && !below(request.Directory, *given.Directory) {
			c.refuse(w, r, http.StatusBadRequest, "the directory isn't below the one that the approval is for")
			return
		}
		less.Directory = &request.Directory
	}
	if given.ExpiresAt != nil && less.TTL == "" {
		less.TTL = given.ExpiresAt.Sub(c.options.Clock()).Round(time.Second).String()
	}
	if err := c.replace(r, given.ID, less); err != nil {
		c.fail(w, r, err)
		return
	}
	c.reply(w, http.StatusOK, map[string]any{"message": "Changed."})
}

// replace replaces a wider approval by a narrower one. It revokes the wider one first: a failure between the
// two leaves less allowed, and never more.
func (c *Console) replace(r *http.Request, wider string, less v1.ApprovalRequest) error {
	if err := c.options.Approvals.Revoke(r.Context(), wider); err != nil {
		return err
	}
	_, _, err := c.options.Approvals.Put(r.Context(), less)
	return err
}
