-- +goose Up

-- What an approval covers besides its verb, one a line. Those from before cover nothing
-- besides.
ALTER TABLE approvals ADD COLUMN risks TEXT NOT NULL DEFAULT '';
