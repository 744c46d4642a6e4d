#!/usr/bin/env bash
# Makes the repository that lookups.jsonl speaks of: lookups.sh DIR. A monorepo of many languages with a branch under review.
set -euo pipefail
d=$1
rm -rf "$d"; mkdir -p "$d"; cd "$d"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Dev GIT_AUTHOR_EMAIL=dev@example.org GIT_COMMITTER_NAME=Dev GIT_COMMITTER_EMAIL=dev@example.org
git init -q -b main .
mkdir -p src/{components,data,main/java} tests docs logs bin build dist data reports locales packages/{core,ui} k8s infra config lib app/{models,Http/Controllers,src/main} db/migrations routes ios .github/workflows db
printf 'package main\n\n// TODO: greet.\nfunc main() {}\n\nfunc init() {}\n' > src/main.go
printf 'package main\n\nimport "fmt"\n\nfunc util() error {\n\treturn fmt.Errorf("no %%s", "way")\n}\n' > src/util.go
printf 'package main\n\nimport "testing"\n\nfunc TestUtil(t *testing.T) {}\n' > src/util_test.go
printf 'import os\nimport requests\n\n\ndef hello():\n    return os.name  # TODO\n\n\nclass App:\n    pass\n' > src/app.py
printf 'pub fn run() -> u32 { 1 }\n\npub async fn go() {}\n\npub struct Config {\n    a: u32,\n}\n' > src/lib.rs
printf 'export const a = process.env.API_URL;\nexport function handleSubmit() { return 1; }\n' > src/a.ts; printf 'test("a", () => {});\n' > src/a.test.ts
printf 'import React, { useEffect } from "react";\nexport function Button() { useEffect(() => {}); return null; }\n' > src/components/Button.tsx
printf '[{"name": "AT"}, {"name": "DE"}]\n' > src/data/countries.json
printf 'public class App {\n  @GetMapping("/x")\n  public String x() { return ""; }\n}\n' > src/main/java/App.java
printf 'def test_a():\n    assert True\n' > tests/test_a.py
printf '# Guide\n\n---\nBEGIN\ntext\nEND\n' > docs/guide.md; printf '# Notes\n' > docs/notes.md; printf '{"items": [{"id": 1, "title": "a"}]}\n' > docs/fixtures.json
printf '# Project\n\n## Use\n\nSee [guide](./docs/guide.md) and [gone](./docs/gone.md). hello\n' > README.md
printf '# Changelog\n\n## [1.1.0]\n\n- b\n\n## [1.0.0]\n\n- a\n' > CHANGELOG.md
printf '2026-01-01T10:00:00 GET /a 1 2 3 /a 4 500 ERROR x\n2026-01-01T11:00:00 ok WARN\n' > logs/app.log; cp logs/app.log logs/access.log; printf 'a 1\nb 3\n' > logs/timings.log; gzip -c logs/app.log > logs/app.log.1.gz
printf 'one\ntwo\n' > a.txt; printf 'one\nthree\n' > b.txt; printf '9 1\n8 2\n7 3\n' > big.txt; printf 'grace:1\nada:2\n' > names.txt; printf 'hello\n' > notes.txt
printf 'id,name\n1,Ada\n2,Grace\n' > data.csv; printf 'a\tb\tc\n' > data.tsv; : > data/app.db
printf '#!/bin/sh\nexit 0\n' > bin/app; chmod +x bin/app
printf 'module example.org/proj\n\ngo 1.24\n' > go.mod; printf '.PHONY: build\nbuild: ## build it\n\ttrue\n' > Makefile
printf '{"name": "proj", "version": "1.0.0", "type": "module", "scripts": {"build": "true", "test": "true"}, "dependencies": {"react": "18.2.0"}}\n' > package.json
printf '{\n  // paths\n  "compilerOptions": {"paths": {"@/*": ["src/*"]}}\n}\n' > tsconfig.json; : > package-lock.json
for p in core ui; do printf '{"name": "@proj/%s", "version": "0.1.0"}\n' $p > packages/$p/package.json; done
for l in en de fr; do printf '{"a.b": "x"}\n' > locales/$l.json; done; printf '[{"status": "failed", "name": "a", "message": "m"}]\n' > reports/results.json; printf '{"total": 1}\n' | tee reports/a.json > reports/b.json
printf 'kind: Deployment\nmetadata:\n  name: web\nspec:\n  image: web:1\n' > k8s/web.yaml; printf 'resource "aws_s3_bucket" "a" {}\n' > infra/main.tf; printf 'services:\n  web:\n    image: web\n    ports: ["80:80"]\n' > docker-compose.yml
printf 'a=1\n' > config/app.properties; printf 'Host A\n' > config/hosts.txt; printf 'requests==2.0 # http\n' > requirements.txt; printf '[tool.ruff]\nline-length = 100\n' > pyproject.toml; printf '[package]\nname = "x"\n\n[dependencies]\nserde = "1"\n' > Cargo.toml
printf 'source "https://rubygems.org"\ngem "rails"\n' > Gemfile; printf 'class User\n  has_many :posts\nend\n' > app/models/user.rb; printf '<?php\nclass A extends Controller {}\n' > app/Http/Controllers/A.php; printf '<?php Route::get("/", "A");\n' > routes/web.php
printf 'defmodule Demo.MixProject do\n  defp deps do\n    []\n  end\nend\n' > mix.exs; printf 'defmodule Demo.PageLive do\nend\n' > lib/page_live.ex; printf '<project><dependencies><dependency>\n<artifactId>a</artifactId>\n</dependency></dependencies></project>\n' > pom.xml
printf '<manifest>\n<activity a="b">\n</activity>\n</manifest>\n' > app/src/main/AndroidManifest.xml; printf 'version=1\n' > gradle.properties; printf 'version = "1"\n' > build.gradle.kts; printf '<plist/>\n' > ios/Info.plist; printf 'class V { @Published var a = 1 }\n' > ios/V.swift
printf 'CREATE TABLE t (id int);\n' > db/migrations/1_t.sql; printf 'service A {\n  rpc B(C) returns (D);\n}\n' > lib/a.proto; printf 'int main(void) { return 0; }\n' > lib/main.c; printf 'jobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n' > .github/workflows/ci.yml; printf '<a class="btn">x</a>\n' > lib/a.html
printf 'build/\ndist/\n.env\n' > .gitignore
git add -A; git commit -q -m "Add the project"; git tag -a v1.0.0 -m first
printf 'more\n' >> README.md; git commit -q -am "Say more"; printf '// more\n' >> src/main.go; git commit -q -am "Say it in Go, too"
git checkout -q -b feature/labels; printf 'x = 1\n' >> src/app.py; git commit -q -am "Label"; printf 'y = 2\n' >> src/app.py; git commit -q -am "Label again"
printf '# draft\n' > docs/draft.md; printf 'TOKEN=abc\n' > .env; printf 'jar\n' > dist/note.txt
