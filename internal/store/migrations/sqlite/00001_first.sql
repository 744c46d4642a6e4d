-- +goose Up

-- Times are microseconds since 1970, in UTC, and truth values are 0 and 1.

CREATE TABLE sessions (
	id         TEXT    NOT NULL PRIMARY KEY,
	owner      TEXT    NOT NULL,
	archived   INTEGER NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	body       TEXT    NOT NULL
) STRICT;

-- The identity is the digest of what may be there only once. A digest, because
-- a path can be longer than what PostgreSQL puts in an index, and because NULL
-- equals nothing.
CREATE TABLE grants (
	id         TEXT    NOT NULL PRIMARY KEY,
	identity   BLOB    NOT NULL UNIQUE,
	session    TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	path       TEXT    NOT NULL,
	mode       TEXT    NOT NULL,
	label      TEXT    NOT NULL,
	origin     TEXT    NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX grants_by_session ON grants (session);

CREATE TABLE approvals (
	id         TEXT    NOT NULL PRIMARY KEY,
	identity   BLOB    NOT NULL UNIQUE,
	audience   TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	tool       TEXT    NOT NULL,
	verb       TEXT    NOT NULL,
	directory  TEXT,
	session    TEXT    NOT NULL,
	given_by   TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER
) STRICT;
CREATE INDEX approvals_by_session ON approvals (session) WHERE session <> '';
CREATE INDEX approvals_by_expiry ON approvals (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE prompts (
	id         TEXT    NOT NULL PRIMARY KEY,
	state      TEXT    NOT NULL,
	session    TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	call_key   BLOB,
	expires_at INTEGER NOT NULL,
	ended_at   INTEGER,
	body       TEXT    NOT NULL,
	scope      TEXT    NOT NULL,
	answer     TEXT
) STRICT;
CREATE INDEX prompts_by_state ON prompts (state, id);
CREATE INDEX prompts_pending ON prompts (session) WHERE state = 'pending';
CREATE INDEX prompts_by_end ON prompts (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE onces (
	prompt     TEXT    NOT NULL PRIMARY KEY,
	session    TEXT    NOT NULL,
	call_key   BLOB    NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;

-- One row, written to find out whether the disk has room again. What it holds is
-- as long as an answer that keeps much.
CREATE TABLE probe (
	id     INTEGER NOT NULL PRIMARY KEY,
	filler BLOB    NOT NULL
) STRICT;
