# make test      everything that must hold; what continuous integration calls
# make check     the one loop while working: format, generate, lint, quick tests, policy gate
# make test-gate-clients  runs programs of others, which it takes from npm, behind the gates; needs node
# make bench     measures, and writes docs/benchmarks.md
# make corpus    reports false allows and the share allowed for FILE, lines of {command, cwd?, accept}
# make oracle    runs ORACLE_LINES generated lines in a real bash; make nightly runs 20,000 and a new seed
# make fuzz      runs every fuzz target for FUZZTIME
# make fmt       formats Go and Rego
# make generate  rewrites what is generated from the types

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := test
.PHONY: test build vet go-test rego-test system-packages check format-check generate-check \
	lint go-test-short rego-gate test-gate-clients bench corpus oracle nightly fuzz fmt generate

GO ?= go
# Tools have a module of their own, so that their dependencies never reach the
# program's.
TOOL := $(GO) tool -modfile=test/tools/go.mod
# OPA's commands come from the program itself: the engine that decides is the
# engine that tests.
OPA := bin/policyd
COVERAGE := 95

test: system-packages vet go-test rego-test fuzz
	@echo "make test: all passed"

build:
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -o bin/policyd ./cmd/policyd

vet:
	$(GO) build ./...
	$(GO) vet ./...

go-test: build
	# Not from the cache: it knows nothing of the program that the tests build and start.
	$(GO) test -count=1 -timeout 15m ./...
	# A module of its own: see test/deploy.
	cd test/deploy && $(GO) vet ./... && $(GO) test -count=1 ./...

rego-test: build
	$(OPA) test --fail-on-empty policies

# buildah builds the container image; git makes the projects that the
# end-to-end tests decide about; postgresql is the database that several sidecars
# share, and Debian keeps its programs out of the search path. Without root, or
# without a package source, the tests that need them say that they were skipped.
system-packages:
	@missing=""; \
	for program in git buildah; do \
		command -v $$program >/dev/null || missing="$$missing $$program"; \
	done; \
	command -v initdb $$(compgen -G '/usr/lib/postgresql/*/bin/initdb' || :) >/dev/null || missing="$$missing postgresql"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
		echo "make test: missing:$$missing; not root on a Debian system, so their tests are skipped"; exit 0; \
	fi; \
	export DEBIAN_FRONTEND=noninteractive; \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing; } >/dev/null \
		|| echo "make test: can't install$$missing; their tests are skipped"

check: format-check generate-check lint go-test-short rego-gate
	@echo "make check: all passed"

format-check:
	$(TOOL) golangci-lint fmt --diff

# Compares the tree before and after, and not with the last commit, so that work
# in progress is no drift.
TREE_DIGEST = git ls-files -z --cached --others --exclude-standard | { xargs -0 sha256sum 2>/dev/null || :; } | sha256sum
generate-check:
	@before="$$($(TREE_DIGEST))"; \
	$(GO) generate ./...; \
	if [ "$$before" != "$$($(TREE_DIGEST))" ]; then \
		echo "generated files differ from the types: run make generate"; exit 1; \
	fi

lint: vet
	$(TOOL) golangci-lint run

go-test-short:
	$(GO) test -short ./...

rego-gate: build
	$(OPA) fmt --diff --fail policies
	$(OPA) check --strict --schema policies/schemas policies
	$(OPA) test --coverage --threshold $(COVERAGE) --fail-on-empty policies >/dev/null
	$(OPA) test --fail-on-empty policies
	$(TOOL) regal lint policies

# Programs of others, which npm installs once: an MCP server and agents that speak ACP, behind the gates.
GATE_PROGRAMS := bin/.gate-clients
test-gate-clients:
	@mkdir -p $(GATE_PROGRAMS)
	[ -d $(GATE_PROGRAMS)/node_modules ] || npm install --no-audit --no-fund --prefix $(GATE_PROGRAMS) \
		@modelcontextprotocol/server-filesystem opencode-ai @google/gemini-cli
	POLICYD_TEST_CLIENTS="$(CURDIR)/$(GATE_PROGRAMS)/node_modules/.bin" $(GO) test -count=1 -v -run '^TestReal(MCP|ACP)' ./test/e2e

bench:
	$(GO) build -o bin/bench ./test/bench
	bin/bench -out docs/benchmarks.md

# PROJECT is a directory to decide in, instead of one that is built; ARGS=-v lists the lines.
# The attacks are lines for a project that tracks secrets.
CORPUS := test/testdata/corpus
corpus:
ifdef FILE
	$(GO) run ./test/corpus $(if $(PROJECT),-project "$(PROJECT)") $(ARGS) $(FILE)
else
	$(GO) run ./test/corpus $(ARGS) $(filter-out %/attacks.jsonl,$(wildcard $(CORPUS)/*.jsonl))
	$(GO) run ./test/corpus -exposed $(ARGS) $(CORPUS)/attacks.jsonl
endif

# The tests print their seed; a line that fails is kept in test/oracle/testdata/found.
ORACLE_LINES ?= 2000
ORACLE_SEED ?= 1
oracle:
	ORACLE_LINES=$(ORACLE_LINES) ORACLE_SEED=$(ORACLE_SEED) $(GO) test -count=1 -timeout 60m -v ./test/oracle

nightly: ORACLE_LINES = 20000
nightly: ORACLE_SEED = $(shell date +%Y%m%d)
nightly: oracle

# Targets are found, not listed, so that none is forgotten.
# A number of runs and not a time, and one run to shrink an input: a target that
# is cut off by the clock can be reported as failed.
FUZZTIME ?= 20000x
fuzz:
	@found=0; \
	while IFS=: read -r file target; do \
		found=1; echo "fuzz $$target in $$(dirname "$$file")"; \
		output="$$($(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x -parallel 1 \
			"./$$(dirname "$$file")" 2>&1)" || { echo "$$output"; exit 1; }; \
		echo "$${output##*$$'\n'}"; \
	done < <(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' --exclude-dir=.git . | sed -e 's|^\./||' -e 's/:func /:/'); \
	[ "$$found" = 1 ] || { echo "no fuzz target was found"; exit 1; }

fmt: build
	$(TOOL) golangci-lint fmt
	$(OPA) fmt --write policies

generate:
	$(GO) generate ./...
