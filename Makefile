# make serve     builds and starts the server, and prints what is compiled; ARGS are its flags
# make test      all tests; continuous integration runs it
# make install   installs policyd and policyd-hook in PREFIX/bin, GOBIN or GOPATH/bin
# make check     the loop while you work: format, generate, lint, quick tests, policy gate
# make bench     measures, and writes docs/benchmarks.md, its figures and plots, and README's table
# make test-clients  drives the real agent programs, which it takes from npm, against policyd and its gates; needs node
# make corpus    reports false allows and the share allowed for FILE, lines of {command, cwd?, accept}
# make sessions  replays recorded agent sessions (SESSIONS=folder) and reports how often a person is asked
# make oracle    runs ORACLE_LINES generated lines in a real bash
# make contain   runs every line of the corpora in jails, contained and not, and measures the start of contained runs
# make golden    writes the digests of the facts of all corpora anew; make golden-diff BASE=main lists what changed
# make soak      asks a server for SOAK, 10 minutes, and bounds its memory; make test has a short form
# make fuzz      runs every fuzz target for FUZZTIME; make test runs their seeds alone
# make nightly   what takes too long for every change: make fuzz, make contain, make oracle with 20,000 lines and a
#                new seed, and what must hold of each line of the corpora
# make fmt       formats Go and Rego
# make generate  rewrites what is generated from the types

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := test
.PHONY: test build serve install vet go-test go-test-own go-test-modules rego-test system-packages check format-check generate-check \
	lint go-test-short rego-gate test-clients contain bench corpus golden golden-diff sessions oracle nightly every-line soak fuzz fmt generate

GO ?= go
# One way to build for programs, tests and the image: a package is compiled once
# for all of them. The Dockerfile builds the same way.
export CGO_ENABLED := 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
# Tools have a module of their own, so that their dependencies never reach the
# program's.
TOOL := $(GO) tool -modfile=test/tools/go.mod
# OPA's commands come from the program itself: the engine that decides is the
# engine that tests.
OPA := bin/policyd
COVERAGE := 95

test: system-packages vet go-test
	@echo "make test: all passed"

# Compiling is silent for minutes on an empty machine, so -v prints each package.
COMPILING = echo "compiling policyd, OPA and their dependencies: this takes a few minutes the first time, and seconds later"

serve:
	@$(COMPILING)
	@mkdir -p bin
	@$(GO) build -v -ldflags='-s -w' -o bin/ ./cmd/policyd ./cmd/policyd-hook
	@exec bin/policyd serve $(ARGS)

# make install puts policyd and policyd-hook where commands are found: into $PREFIX/bin, or else
# where go install puts programs (GOBIN, or the bin folder of GOPATH). The first build compiles
# OPA and takes minutes.
install:
	@$(COMPILING)
ifdef PREFIX
	@mkdir -p '$(PREFIX)/bin'
	GOBIN='$(abspath $(PREFIX))/bin' $(GO) install -v -ldflags='-s -w' ./cmd/policyd ./cmd/policyd-hook
	@echo "installed in $(abspath $(PREFIX))/bin"
else
	$(GO) install -v -ldflags='-s -w' ./cmd/policyd ./cmd/policyd-hook
	@dir="$$($(GO) env GOBIN)"; echo "installed in $${dir:-$$($(GO) env GOPATH)/bin}"
endif

# A program that didn't change stays the file that it was, so that results of tests that start
# it may come from the cache.
build:
	@mkdir -p bin/.new
	$(GO) build -ldflags='-s -w' -o bin/.new/ ./cmd/policyd ./cmd/policyd-hook
	@for program in policyd policyd-hook; do \
		cmp -s bin/.new/$$program bin/$$program || mv bin/.new/$$program bin/; \
	done

vet:
	$(GO) vet ./...

# Tests that start programs take these, which are built once, and not their own.
PROGRAMS := POLICYD_TEST_PROGRAMS="$(CURDIR)/bin"

# What checks pages for accessibility. A name that Go passes over.
AXE := bin/.axe

# Side by side, since what drives a browser waits for it.
go-test: build
	@$(MAKE) --no-print-directory -j2 go-test-own go-test-modules

go-test-own: build
	# vet has run with all its checks; go test would repeat some of them.
	# Not from the cache: it doesn't see changes of the programs that the tests start.
	# The limit is for a test that hangs, and no measure of speed.
	# The longest come first, so that no core waits for one at the end. One more than there are cores, since tests of
	# programs wait for them.
	$(PROGRAMS) $(GO) test -vet=off -count=1 -timeout 60m -p $$(($$(nproc 2>/dev/null || echo 2) + 1)) \
		./test/e2e ./test/contain ./test/oracle ./test/clients ./test/recipes ./extract/git/trust ./test/corpus ./extract ./...

go-test-modules: build
	# A module of its own: see test/deploy.
	cd test/deploy && $(GO) vet ./... && $(GO) test -vet=off -count=1 ./...
	# Another: see docs/decisions/0015.
	cd test/bench && $(GO) vet ./... && $(GO) test -vet=off -count=1 ./...
	# And one that drives a browser.
	[ -f $(AXE)/node_modules/axe-core/axe.min.js ] \
		|| npm install --no-audit --no-fund --silent --fetch-retries 0 --fetch-timeout 30000 --prefix $(AXE) axe-core \
		|| echo "make test: can't install axe-core; pages aren't checked with it"
	cd test/console && $(GO) vet ./... && $(PROGRAMS) $(GO) test -vet=off -count=1 ./...

# make test runs them within TestTheExamplesDecide of test/e2e, with coverage.
rego-test: build
	$(OPA) test --timeout 10m --fail-on-empty policies

# buildah builds the container image; strace shows what programs open; git makes the projects that the
# end-to-end tests decide about; postgresql is the database that several sidecars share, and Debian keeps its
# programs out of the search path; chromium shows the console; notify-send and dunst show a notification, in
# Xvfb. Without root, or without a package source, the tests that need them state that they were skipped.
system-packages:
	@missing=""; \
	for program in git buildah sqlite3 strace; do \
		command -v $$program >/dev/null || missing="$$missing $$program"; \
	done; \
	command -v initdb $$(compgen -G '/usr/lib/postgresql/*/bin/initdb' || :) >/dev/null || missing="$$missing postgresql"; \
	command -v chromium chromium-browser google-chrome >/dev/null || missing="$$missing chromium"; \
	command -v notify-send >/dev/null || missing="$$missing libnotify-bin"; \
	command -v dunst >/dev/null || missing="$$missing dunst dbus-daemon"; \
	command -v Xvfb >/dev/null || missing="$$missing xvfb"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
		echo "make test: missing:$$missing; not root on a Debian system, so their tests are skipped"; exit 0; \
	fi; \
	export DEBIAN_FRONTEND=noninteractive; \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing; } >/dev/null \
		|| echo "make test: can't install$$missing; their tests are skipped"

# Two at a time, since some of them use one core alone. What writes files comes first.
check: generate-check build
	@$(MAKE) --no-print-directory -j2 --output-sync=target format-check lint go-test-short rego-gate
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
	$(TOOL) golangci-lint run --allow-parallel-runners
	cd test/bench && $(GO) tool -modfile=../tools/go.mod golangci-lint run --allow-parallel-runners
	cd test/console && $(GO) tool -modfile=../tools/go.mod golangci-lint run --allow-parallel-runners

go-test-short: build
	$(PROGRAMS) $(GO) test -vet=off -short ./...

rego-gate: build
	$(OPA) fmt --diff --fail policies
	$(OPA) check --strict --schema policies/schemas policies
	# With coverage it says nothing of a test that fails.
	$(OPA) test --timeout 10m --coverage --threshold $(COVERAGE) --fail-on-empty policies >/dev/null \
		|| { $(OPA) test --timeout 10m --fail-on-empty policies; exit 1; }
	$(TOOL) regal lint policies

# The programs are installed once, by npm and with their own install scripts, and
# run without a network where namespaces can be made. CLIENTS=opencode alone runs
# the tests of one.
# A name that Go passes over: packages from npm hold Go files, too.
CLIENT_PROGRAMS := bin/.clients
CLIENT_PACKAGES := @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai @github/copilot \
	@modelcontextprotocol/server-filesystem
CLIENTS ?= .*
test-clients: build
	@mkdir -p $(CLIENT_PROGRAMS)
	[ -d $(CLIENT_PROGRAMS)/node_modules ] || npm install --no-audit --no-fund --prefix $(CLIENT_PROGRAMS) $(CLIENT_PACKAGES)
	$(GO) test -c -o $(CLIENT_PROGRAMS)/clients.test ./test/clients
	cd test/console && $(GO) test -c -o "$(CURDIR)/$(CLIENT_PROGRAMS)/console.test" .
	@isolate=""; \
	if unshare --net true 2>/dev/null && command -v ip >/dev/null; then isolate="unshare --net"; \
	elif unshare --user --map-root-user --net true 2>/dev/null && command -v ip >/dev/null; then isolate="unshare --user --map-root-user --net"; \
	else echo "make test-clients: no network namespace can be made; the programs see the network"; fi; \
	run() { $$isolate bash -c '[ -z "$$1" ] || ip link set lo up; shift; exec "$$@"' - "$$isolate" "$$@" -test.v -test.timeout 30m; }; \
	export POLICYD_TEST_CLIENTS="$(CURDIR)/$(CLIENT_PROGRAMS)/node_modules/.bin"; \
	(cd test/clients && run "$(CURDIR)/$(CLIENT_PROGRAMS)/clients.test" \
		-test.run "^(TestRealClients|TestRealClientsRunContained|TestCatalogKnowsTheToolsOfRealClients)$$/^($(CLIENTS))$$") && \
	(cd test/console && $(PROGRAMS) run "$(CURDIR)/$(CLIENT_PROGRAMS)/console.test" -test.run '^TestARealAgentIsReleasedFromThePage$$')
	POLICYD_TEST_CLIENTS="$(CURDIR)/$(CLIENT_PROGRAMS)/node_modules/.bin" \
		$(GO) test -count=1 -v -timeout 30m -run '^TestReal(MCPServer|ACPAgents)$$' ./test/e2e

# A module of its own: see docs/decisions/0015. BENCH="-rounds 1 -only http" measures
# a part, and writes nothing.
BENCH ?= -write
bench:
	$(GO) build -C test/bench -o ../../bin/bench .
	bin/bench $(BENCH)

# PROJECT is a directory to decide in, instead of one that is built; ARGS=-v lists the lines.
# The attacks are lines for a project that tracks secrets, those of suites for one with links that lead out.
CORPUS := test/testdata/corpus
corpus:
ifdef FILE
	$(GO) run ./test/corpus $(if $(PROJECT),-project "$(PROJECT)") $(ARGS) $(FILE)
else
	$(GO) run ./test/corpus $(ARGS) $(filter-out %/attacks.jsonl %/suites.jsonl %/suites2.jsonl,$(wildcard $(CORPUS)/*.jsonl))
	$(GO) run ./test/corpus -tree $(CORPUS)/suites.sh $(ARGS) $(CORPUS)/suites.jsonl
	$(GO) run ./test/corpus -tree $(CORPUS)/suites2.sh $(ARGS) $(CORPUS)/suites2.jsonl
	$(GO) run ./test/corpus -exposed $(ARGS) $(CORPUS)/attacks.jsonl
endif

golden:
	$(GO) test -count=1 ./test/golden -update

# Both revisions extract the lines of this tree.
BASE ?= main
golden-diff:
	@scratch="$$(mktemp -d)"; \
	trap 'git worktree remove --force "$$scratch/base" 2>/dev/null || :; rm -rf "$$scratch"' EXIT; \
	git worktree add --quiet --detach "$$scratch/base" '$(BASE)'; \
	$(GO) build -C "$$scratch/base" -o "$$scratch/golden" ./test/golden; \
	"$$scratch/golden" -root . -write "$$scratch/old"; \
	$(GO) run ./test/golden -write "$$scratch/new"; \
	$(GO) run ./test/golden -diff "$$scratch/old" "$$scratch/new"

# PERSON is nobody, chat, lasting, contained or lasting_contained instead of all five; ARGS=-v lists every prompt.
SESSIONS ?= ../shared/corpus/sessions
sessions: build
	$(GO) run ./test/sessions -program bin/policyd -dir "$(SESSIONS)" $(if $(PERSON),-person $(PERSON)) $(ARGS)

# The tests print their seed; a line that fails is kept in test/oracle/testdata/found.
ORACLE_LINES ?= 200
ORACLE_SEED ?= 1
oracle:
	ORACLE_LINES=$(ORACLE_LINES) ORACLE_SEED=$(ORACLE_SEED) $(GO) test -count=1 -timeout 60m -v ./test/oracle

contain: build
	$(PROGRAMS) POLICYD_TEST_CONTAIN=full $(GO) test -count=1 -timeout 60m -v -run 'Cost|Corpus|Probe' ./test/contain

nightly: ORACLE_LINES = 20000
nightly: ORACLE_SEED = $(shell date +%Y%m%d)
nightly: oracle fuzz contain every-line

# make test reads a share of the lines in each test.
every-line:
	POLICYD_TEST_LINES=all $(GO) test -count=1 -timeout 60m ./test/corpus

SOAK ?= 10m
soak:
	SOAK=$(SOAK) $(GO) test -count=1 -v -timeout 2h -run '^TestSoak$$' ./test/e2e

# Targets are found, not listed, so that none is forgotten. A file whose target costs more states how many
# runs it has with a line "//fuzz:runs 500x". A number of runs and not a time, and one run to shrink an input:
# a target that is cut off by the clock can be reported as failed.
FUZZTIME ?= 20000x
fuzz:
	@found=0; \
	while IFS=: read -r file target; do \
		found=1; echo "fuzz $$target in $$(dirname "$$file")"; \
		runs="$$(sed -n 's|^//fuzz:runs ||p' "$$file" | head -1)"; \
		output="$$($(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime "$${runs:-$(FUZZTIME)}" -fuzzminimizetime 1x -parallel 1 \
			"./$$(dirname "$$file")" 2>&1)" || { echo "$$output"; exit 1; }; \
		echo "$${output##*$$'\n'}"; \
	done < <(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' --exclude-dir=.git . | sed -e 's|^\./||' -e 's/:func /:/'); \
	[ "$$found" = 1 ] || { echo "no fuzz target was found"; exit 1; }

fmt: build
	$(TOOL) golangci-lint fmt
	$(OPA) fmt --write policies

# The proof is about what the others make, and isn't written of a table that can't be read.
generate:
	$(GO) generate ./internal/... ./extract/argv
	$(GO) generate ./...
