#!/usr/bin/env bash
# Makes the repository that daily.jsonl speaks of: daily.sh DIR. Services in several languages, and infrastructure.
set -euo pipefail
d=$1
rm -rf "$d" "$d.origin.git"; mkdir -p "$d"; cd "$d"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Dev GIT_AUTHOR_EMAIL=dev@example.org GIT_COMMITTER_NAME=Dev GIT_COMMITTER_EMAIL=dev@example.org
git init -q -b main .
mkdir -p cmd/api internal/{auth,store,queue} pkg/client api/proto migrations testdata/golden
mkdir -p crates/{engine,cli}/src crates/engine/{tests,benches}
mkdir -p web/src/{components,hooks,lib,pages} web/tests web/public worker/app/{models,views} worker/tests
mkdir -p billing/src/{main,test}/java/org/example/billing billing/src/main/resources
mkdir -p native/{src,include/demo,tests} deploy/{terraform/modules/db,k8s/base,k8s/overlays/prod,helm/demo/templates,ansible/roles/web/tasks}
mkdir -p .github/workflows docs/adr scripts logs data build reports
printf 'module example.org/demo\n\ngo 1.24\n\nrequire (\n\tgithub.com/spf13/cobra v1.8.0\n\tgolang.org/x/sync v0.7.0\n)\n' > go.mod; touch go.sum
printf 'package main\n\nimport "example.org/demo/internal/auth"\n\nfunc main() {\n\t// TODO: flags\n\tauth.Check("")\n}\n' > cmd/api/main.go
for p in auth store queue; do printf 'package %s\n\n// Check says whether s is known.\nfunc Check(s string) (bool, error) {\n\treturn s != "", nil\n}\n\ntype Service struct {\n\tname string\n}\n' $p > internal/$p/$p.go
printf 'package %s\n\nimport "testing"\n\nfunc TestCheck(t *testing.T) { t.Parallel() }\n' $p > internal/$p/${p}_test.go; done
printf 'package client\n' > pkg/client/client.go; printf 'syntax = "proto3";\npackage demo.v1;\nmessage User { string id = 1; }\nservice Users { rpc Get(User) returns (User); }\n' > api/proto/users.proto
printf 'openapi: 3.0.0\npaths:\n  /users:\n    get: {}\n' > api/openapi.yaml
for i in 1 2 3; do printf 'CREATE TABLE t%s (id int);\n' $i > migrations/000${i}_t.up.sql; printf 'DROP TABLE t%s;\n' $i > migrations/000${i}_t.down.sql; done
echo ok > testdata/golden/a.txt; echo okay > testdata/golden/b.txt
printf '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n' > Cargo.toml; printf 'version = 3\n\n[[package]]\nname = "serde"\nversion = "1.0.200"\n' > Cargo.lock
for c in engine cli; do printf '[package]\nname = "%s"\nversion = "0.3.1"\nedition = "2021"\n\n[dependencies]\nserde = "1"\ntokio = { version = "1", features = ["full"] }\n' $c > crates/$c/Cargo.toml; done
printf '//! Engine.\npub mod parser;\n\n#[derive(Debug)]\npub struct Engine { n: usize }\n\nimpl Engine {\n    pub fn run(&self) -> usize { self.n.checked_add(1).unwrap() }\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {}\n}\n' > crates/engine/src/lib.rs
printf 'pub fn parse(s: &str) -> Option<u32> { unsafe { let _ = s; } None }\n' > crates/engine/src/parser.rs; printf 'fn main() { println!("hi"); }\n' > crates/cli/src/main.rs
echo '#[test] fn a() {}' > crates/engine/tests/run.rs; echo '[toolchain]' > crates/engine/benches/note.txt
printf '{"name":"web","version":"2.1.0","private":true,"scripts":{"dev":"vite","build":"vite build","test":"vitest","lint":"eslint ."},"dependencies":{"react":"^18.2.0","zod":"^3.22.0"},"devDependencies":{"typescript":"^5.4.0","vite":"^5.0.0"}}\n' > web/package.json
printf '{"name":"web","lockfileVersion":3,"packages":{"":{"name":"web"},"node_modules/react":{"version":"18.2.0"}}}\n' > web/package-lock.json
printf '{\n  "compilerOptions": { "strict": true, "paths": {"@/*": ["src/*"]} }\n}\n' > web/tsconfig.json; echo 'export default {}' > web/vite.config.ts
for c in Button Modal Table; do printf 'import React, { useState } from "react";\nexport interface %sProps { title: string }\nexport const %s = (p: %sProps) => { const [s, set] = useState(0); return <div>{p.title}</div>; };\n' $c $c $c > web/src/components/$c.tsx; done
printf 'export function useUser() { return null; }\n' > web/src/hooks/useUser.ts; printf 'export const api = (p: string) => fetch("/api" + p); // FIXME\n' > web/src/lib/api.ts; printf 'export default function Home() { return null }\n' > web/src/pages/index.tsx
printf 'import { test } from "vitest";\ntest("a", () => {});\n' > web/tests/app.test.ts; echo '<html></html>' > web/public/index.html
mkdir -p web/node_modules/react; printf '{"name":"react","version":"18.2.0"}\n' > web/node_modules/react/package.json; echo 'x' > web/node_modules/react/index.js
printf '[project]\nname = "worker"\nversion = "0.9"\ndependencies = ["fastapi", "sqlalchemy"]\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n' > worker/pyproject.toml; printf 'fastapi==0.110\nsqlalchemy==2.0\n' > worker/requirements.txt
for m in user order; do printf 'from dataclasses import dataclass\n\n\n@dataclass\nclass %s:\n    id: int\n\n    def total(self) -> int:\n        return 1\n' ${m^} > worker/app/models/$m.py; done
printf 'import logging\n\nlog = logging.getLogger(__name__)\n\n\ndef main() -> None:\n    log.info("up")\n' > worker/app/main.py; touch worker/app/__init__.py worker/app/models/__init__.py; printf 'def test_a():\n    assert True\n' > worker/tests/test_main.py
printf '<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>billing</artifactId><version>1.0</version></project>\n' > billing/pom.xml
printf 'package org.example.billing;\n\npublic class Invoice {\n  @Deprecated\n  public long total() throws Exception { return 1; }\n}\n' > billing/src/main/java/org/example/billing/Invoice.java; printf 'package org.example.billing;\nclass InvoiceTest { }\n' > billing/src/test/java/org/example/billing/InvoiceTest.java
printf 'server:\n  port: 8080\n' > billing/src/main/resources/application.yml
printf 'cmake_minimum_required(VERSION 3.20)\nproject(native CXX)\nadd_library(demo src/ring.cpp)\n' > native/CMakeLists.txt; printf '#pragma once\n#define RING_SIZE 16\nnamespace demo { class Ring { public: virtual ~Ring() = default; int push(int); }; }\n' > native/include/demo/ring.hpp
printf '#include "demo/ring.hpp"\n#include <vector>\nint demo::Ring::push(int x) { return x; }\n' > native/src/ring.cpp; printf '#include "demo/ring.hpp"\nint main() {}\n' > native/tests/ring_test.cpp
printf 'terraform {\n  required_version = ">= 1.5"\n}\n\nresource "aws_s3_bucket" "logs" {\n  bucket = "logs"\n}\n\nvariable "region" {\n  default = "eu-west-1"\n}\n' > deploy/terraform/main.tf; printf 'module "x" { source = "./modules/db" }\n' > deploy/terraform/modules.tf; printf 'resource "aws_db_instance" "db" {}\n' > deploy/terraform/modules/db/main.tf
printf 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\nspec:\n  replicas: 2\n' > deploy/k8s/base/deployment.yaml; printf 'resources: [../../base]\n' > deploy/k8s/overlays/prod/kustomization.yaml; printf 'image:\n  tag: "1.2"\n' > deploy/helm/demo/values.yaml; printf 'name: demo\nversion: 0.1.0\n' > deploy/helm/demo/Chart.yaml; printf 'kind: Service\n' > deploy/helm/demo/templates/service.yaml; printf -- '- name: nginx\n  apt: name=nginx\n' > deploy/ansible/roles/web/tasks/main.yml
printf 'FROM golang:1.24 AS build\nCOPY . .\nRUN go build ./...\n' > Dockerfile; printf 'services:\n  db:\n    image: postgres:16\n  api:\n    build: .\n' > docker-compose.yml
printf 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n' > .github/workflows/ci.yml
printf '.PHONY: build test\nbuild:\n\tgo build ./...\ntest:\n\tgo test ./...\n' > Makefile; printf '# Demo\n\n## Setup\n\n```sh\nmake build\n```\n\n## Usage\n' > README.md; printf '# Changelog\n\n## [1.1.0]\n' > CHANGELOG.md; echo '# Rules' > CONTRIBUTING.md
printf '# 1. Queue\n\nAccepted\n' > docs/adr/0001-queue.md; printf '# Design\n' > docs/design.md; printf '#!/bin/sh\nset -e\necho deploy\n' > scripts/deploy.sh; chmod +x scripts/deploy.sh; printf 'import sys\n' > scripts/gen.py
printf 'node_modules/\nbuild/\nlogs/\nreports/\n.env\n' > .gitignore; printf '* text=auto\n' > .gitattributes; printf 'DB=\n' > .env.example; printf 'root = true\n' > .editorconfig
for i in 1 2 3; do printf '2026-01-0%s10:00:00 ERROR db timeout req=%s\n2026-01-0%sT10:00:01 INFO ok 200\n' $i $i $i; done > logs/api.log; gzip -nc logs/api.log > logs/api.log.1.gz
printf '{"level":"error","msg":"x"}\n{"level":"info","msg":"y"}\n' > logs/events.jsonl
printf 'id,name,amount\n1,ann,10\n2,bob,20\n' > data/users.csv; printf 'id;x\n' > data/old.csv; printf '[{"id":1,"name":"a","tags":["x"]}]\n' > data/items.json; printf '<a><b id="1"/></a>\n' > data/feed.xml
printf 'mode: set\nexample.org/demo/internal/auth/auth.go:4.39,6.2 1 1\n' > reports/cover.out; printf '<testsuite tests="2"/>\n' > reports/junit.xml; echo '{"total":{"lines":{"pct":81}}}' > reports/coverage-summary.json
head -c 400 /dev/zero > build/demo.bin; tar czf build/docs.tgz docs; (cd docs && python3 -c 'import zipfile; z=zipfile.ZipFile("../build/docs.zip","w"); z.write("design.md")' || : > ../build/docs.zip)
git add -A && git commit -qm 'feat: first'; git tag v1.0.0
echo '// two' >> internal/store/store.go; git commit -qam 'fix(store): second (#7)'; echo '// three' >> web/src/lib/api.ts; git commit -qam 'feat(web): third'; git tag -a v1.1.0 -m v1.1.0
git checkout -qb feature/queue; echo '// q' >> internal/queue/queue.go; git commit -qam 'feat: queue'; git checkout -q main
git mv docs/design.md docs/architecture.md; git commit -qm 'docs: move'
git clone -q --bare . "$d.origin.git"; git remote add origin "$d.origin.git"; git fetch -q origin; git branch -q -u origin/main main
echo '// stash' >> cmd/api/main.go; git stash -q; echo '// wip' >> cmd/api/main.go; echo '# wip' >> README.md; git add README.md; echo new > docs/notes.md
