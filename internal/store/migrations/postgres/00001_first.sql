-- +goose Up

-- Times are microseconds since 1970, in UTC. Ids are compared by byte, as SQLite does,
-- so that pages come in one order whatever the locale of the database.

CREATE TABLE sessions (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	owner      TEXT             NOT NULL,
	archived   BOOLEAN          NOT NULL,
	version    BIGINT           NOT NULL,
	created_at BIGINT           NOT NULL,
	updated_at BIGINT           NOT NULL,
	body       TEXT             NOT NULL
);

-- The identity is the digest of what may be there only once. A digest, because
-- a path can be longer than what PostgreSQL puts in an index, and because NULL
-- equals nothing.
CREATE TABLE grants (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	identity   BYTEA            NOT NULL UNIQUE,
	session    TEXT             NOT NULL,
	agent      TEXT             NOT NULL,
	path       TEXT             NOT NULL,
	mode       TEXT             NOT NULL,
	label      TEXT             NOT NULL,
	origin     TEXT             NOT NULL,
	created_at BIGINT           NOT NULL
);
CREATE INDEX grants_by_session ON grants (session);

CREATE TABLE approvals (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	identity   BYTEA            NOT NULL UNIQUE,
	audience   TEXT             NOT NULL,
	agent      TEXT             NOT NULL,
	tool       TEXT             NOT NULL,
	verb       TEXT             NOT NULL,
	directory  TEXT,
	session    TEXT             NOT NULL,
	given_by   TEXT             NOT NULL,
	created_at BIGINT           NOT NULL,
	expires_at BIGINT
);
CREATE INDEX approvals_by_session ON approvals (session) WHERE session <> '';
CREATE INDEX approvals_by_expiry ON approvals (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE prompts (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	state      TEXT             NOT NULL,
	session    TEXT             NOT NULL,
	kind       TEXT             NOT NULL,
	call_key   BYTEA,
	expires_at BIGINT           NOT NULL,
	ended_at   BIGINT,
	body       TEXT             NOT NULL,
	scope      TEXT             NOT NULL,
	answer     TEXT
);
CREATE INDEX prompts_by_state ON prompts (state, id);
CREATE INDEX prompts_pending ON prompts (session) WHERE state = 'pending';
CREATE INDEX prompts_by_end ON prompts (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE onces (
	prompt     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	session    TEXT             NOT NULL,
	call_key   BYTEA            NOT NULL,
	expires_at BIGINT           NOT NULL
);

-- One row, written to find out whether the database can be written again.
CREATE TABLE probe (
	id         BIGINT           NOT NULL PRIMARY KEY,
	filler     BYTEA            NOT NULL
);
