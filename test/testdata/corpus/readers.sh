#!/usr/bin/env bash
# Makes the project that readers.jsonl speaks of: readers.sh DIR [--env]. --env adds a git-ignored .env.
set -euo pipefail
d=$1; env=${2:-}
rm -rf "$d" "$d.origin.git"; mkdir -p "$d"; cd "$d"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Dev GIT_AUTHOR_EMAIL=dev@example.org GIT_COMMITTER_NAME=Dev GIT_COMMITTER_EMAIL=dev@example.org
git init -q -b main .
mkdir -p src/api src/components src/utils docs tests logs data scripts cmd/server internal/store pkg/util .github/workflows crates/core/src public build
cat > package.json <<'J'
{"name":"demo","version":"1.4.2","scripts":{"build":"tsc -p .","test":"jest","lint":"eslint src"},"dependencies":{"express":"^4.18.0","react":"^18.2.0"},"devDependencies":{"typescript":"^5.4.0","jest":"^29.0.0"}}
J
echo '{"name":"demo","lockfileVersion":3,"packages":{"":{"name":"demo"}}}' > package-lock.json
echo '{"compilerOptions":{"strict":true,"target":"es2022"}}' > tsconfig.json
printf 'module example.org/demo\n\ngo 1.22\n\nrequire github.com/spf13/cobra v1.8.0\n' > go.mod; touch go.sum
printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = "1"\n' > Cargo.toml
echo 'version = 3' > Cargo.lock
printf '[project]\nname = "demo"\nversion = "0.1"\n' > pyproject.toml; echo 'requests==2.31' > requirements.txt
printf 'all: build\nbuild:\n\tgo build ./...\ntest:\n\tgo test ./...\n' > Makefile
printf 'FROM alpine\nCOPY . .\n' > Dockerfile; printf 'services:\n  db:\n    image: postgres\n' > docker-compose.yml
printf '# Demo\n\n## Usage\n\nRun it. TODO: say more.\n' > README.md; printf '# Changelog\n\n## 1.4.2\n- fix\n' > CHANGELOG.md; echo MIT > LICENSE
printf '.env\nbuild/\nnode_modules/\n' > .gitignore; printf 'root = true\n' > .editorconfig; echo '{"rules":{}}' > .eslintrc.json
printf 'DB_URL=\n' > .env.example
for f in index app server config; do printf 'import express from "express";\nexport function %s() {\n  // TODO: %s\n  return 1;\n}\n' $f $f > src/$f.ts; done
for f in users auth orders; do printf 'export async function %s(req, res) {\n  console.log("%s");\n  res.json({});\n}\n' $f $f > src/api/$f.ts; done
printf 'export const Button = () => <button/>;\n' > src/components/Button.tsx; printf 'export const Modal = () => <div/>;\n' > src/components/Modal.tsx
printf 'export const fmt = (s: string) => s.trim();\n' > src/utils/format.ts; printf 'export const d = new Date();\n' > src/utils/date.ts
printf 'describe("app", () => { it("works", () => {}); });\n' | tee tests/app.test.ts tests/auth.test.ts > tests/users.test.ts
printf 'def test_a():\n    assert True\n' > tests/test_a.py; printf 'def main():\n    pass\n' > src/main.py
printf 'package main\n\nfunc main() {}\n' > cmd/server/main.go; printf 'package store\n\ntype Store struct{}\n\nfunc New() *Store { return nil }\n' > internal/store/store.go
printf 'package store\n\nimport "testing"\n\nfunc TestNew(t *testing.T) {}\n' > internal/store/store_test.go; printf 'package util\n' > pkg/util/util.go
printf 'pub fn add(a: i32, b: i32) -> i32 { a + b }\n' > crates/core/src/lib.rs
for i in 1 2 3; do printf '2024-01-0%s ERROR boom %s\n2024-01-0%s INFO ok\n' $i $i $i; done | tee logs/app.log > logs/error.log; gzip -nc logs/app.log > logs/old.log.gz
printf 'id,name,amount\n1,ann,10\n2,bob,20\n3,cy,30\n' > data/users.csv; printf 'id,total\n1,5\n' > data/orders.csv
printf '{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}\n' > data/items.json; printf '{"e":1}\n{"e":2}\n' > data/events.jsonl
head -c 300 /dev/zero > data/blob.bin; printf 'a\nb\nc\n' > data/a.txt; printf 'b\nc\nd\n' > data/b.txt
printf '# Guide\n\nSee ADR.\n' > docs/guide.md; printf '# Architecture\n' > docs/architecture.md; printf '# API\n' > docs/api.md
printf '#!/bin/sh\necho deploy\n' > scripts/deploy.sh; printf 'on: push\njobs: {}\n' > .github/workflows/ci.yml
tar cf data/bundle.tar docs
echo '<html></html>' > public/index.html; touch build/out.js
git add -A && git commit -qm 'feat: first'; git tag v1.0.0
echo '// two' >> src/app.ts; git commit -qam 'fix: second'; git tag -a v1.4.2 -m v1.4.2
git checkout -qb feature/login; echo '// login' >> src/api/auth.ts; git commit -qam 'feat: login'; git checkout -q main
echo '// three' >> src/server.ts; git commit -qam 'refactor: third (#12)'
git clone -q --bare . "$d.origin.git"; git remote add origin "$d.origin.git"; git fetch -q origin; git branch -q -u origin/main main
echo '// stash' >> src/config.ts; git stash -q
echo '// wip' >> src/index.ts; echo '// staged' >> src/utils/date.ts; git add src/utils/date.ts; echo new > docs/new.md
if [ "$env" = --env ]; then printf 'DB_PASSWORD=hunter2\n' > .env; fi
