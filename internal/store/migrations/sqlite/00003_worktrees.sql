-- +goose Up

-- Whether an approval holds in every work tree of the repository that its directory lies in.
ALTER TABLE approvals ADD COLUMN worktrees INTEGER NOT NULL DEFAULT 0;
