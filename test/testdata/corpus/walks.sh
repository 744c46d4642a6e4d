#!/usr/bin/env bash
# Makes the repository that walks.jsonl speaks of: walks.sh DIR. Services in several languages, their deployment, logs and fixtures.
set -euo pipefail
d=$1
rm -rf "$d"; mkdir -p "$d"; cd "$d"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Dev GIT_AUTHOR_EMAIL=dev@example.org GIT_COMMITTER_NAME=Dev GIT_COMMITTER_EMAIL=dev@example.org
git init -q -b main .
mkdir -p cmd/server internal/{auth,store,api} pkg/retry web/src/{hooks,pages,components} web/public svc/ml/{models,tests} crates/{engine,cli}/src java/src/{main,test}/java/com/acme/pay native/{src,include} ruby/{lib/acme,spec} deploy/{helm/templates,terraform/modules/vpc,k8s/overlays/prod} docs/adr scripts logs testdata/golden migrations proto .github/workflows
printf 'package main\n\nimport (\n\t"log"\n\t"net/http"\n\n\t"example.org/acme/internal/api"\n)\n\nfunc main() {\n\tlog.Fatal(http.ListenAndServe(":8080", api.Router()))\n}\n' > cmd/server/main.go
printf 'package auth\n\nimport "errors"\n\n// ErrExpired says that a token is too old.\nvar ErrExpired = errors.New("expired")\n\ntype Verifier interface {\n\tVerify(s string) error\n}\n\nfunc Check(v Verifier, s string) error { return v.Verify(s) }\n' > internal/auth/auth.go
printf 'package auth\n\nimport "testing"\n\nfunc TestCheck(t *testing.T) {}\n\nfunc BenchmarkCheck(b *testing.B) {}\n' > internal/auth/auth_test.go
printf 'package store\n\nimport "context"\n\n// Get reads one row. FIXME: retries.\nfunc Get(ctx context.Context, id int) error { return nil }\n' > internal/store/store.go
printf 'package store\n\nimport "testing"\n\nfunc TestGet(t *testing.T) { t.Skip("flaky") }\n' > internal/store/store_test.go
printf 'package api\n\nimport "net/http"\n\nfunc Router() http.Handler {\n\tmux := http.NewServeMux()\n\tmux.HandleFunc("/v1/pay", nil)\n\tmux.HandleFunc("/v1/refund", nil)\n\treturn mux\n}\n' > internal/api/router.go
printf 'package retry\n\nfunc Do(f func() error) error { return f() }\n' > pkg/retry/retry.go
printf 'module example.org/acme\n\ngo 1.24\n\nrequire (\n\tgithub.com/google/uuid v1.6.0\n\tgolang.org/x/sync v0.10.0 // indirect\n)\n' > go.mod
printf 'github.com/google/uuid v1.6.0 h1:abc=\n' > go.sum
printf '{\n  "name": "@acme/web",\n  "version": "2.3.0",\n  "scripts": {"dev": "vite", "test": "vitest", "lint": "eslint ."},\n  "dependencies": {"react": "^18.3.1", "zod": "^3.23.0"},\n  "devDependencies": {"vite": "^5.4.0"}\n}\n' > web/package.json
printf '{\n  "compilerOptions": {"strict": true, "paths": {"@/*": ["./src/*"]}}\n}\n' > web/tsconfig.json
printf '{"lockfileVersion": 3, "packages": {"node_modules/react": {"version": "18.3.1"}}}\n' > web/package-lock.json
printf 'import { useState } from "react";\n\nexport function useUser(id: string) {\n  const [user] = useState<any>(null);\n  console.log(user);\n  return user;\n}\n' > web/src/hooks/useUser.ts
printf 'import { useUser } from "../hooks/useUser";\n\nexport default function Pay() {\n  // TODO(ann): show errors\n  return useUser("1");\n}\n' > web/src/pages/Pay.tsx
printf 'export const Card = (props: { title: string }) => null;\n' > web/src/components/Card.tsx; printf 'export * from "./Card";\n' > web/src/components/index.ts
printf 'test("pay", () => {});\n' > web/src/pages/Pay.test.tsx; printf '<html></html>\n' > web/public/index.html
printf 'from dataclasses import dataclass\nimport logging\n\nlogger = logging.getLogger(__name__)\n\n\n@dataclass\nclass Score:\n    value: float\n\n\nasync def predict(x: int) -> Score:\n    try:\n        return Score(x / 2)\n    except Exception:\n        raise\n' > svc/ml/models/score.py
: > svc/ml/models/__init__.py; printf 'import pytest\n\n\n@pytest.mark.skip\ndef test_predict():\n    assert True\n' > svc/ml/tests/test_score.py
printf '[project]\nname = "ml"\nversion = "0.4.1"\ndependencies = ["numpy>=1.26", "pydantic"]\n\n[tool.mypy]\nstrict = true\n' > svc/ml/pyproject.toml; printf 'numpy==1.26.4\npydantic==2.7.1\n' > svc/ml/requirements.txt
printf '[workspace]\nmembers = ["crates/*"]\n' > Cargo.toml
for c in engine cli; do printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n' $c > crates/$c/Cargo.toml; done
printf 'use std::fmt;\n\n#[derive(Debug, Clone)]\npub struct Plan {\n    pub steps: usize,\n}\n\nimpl fmt::Display for Plan {\n    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{}", self.steps) }\n}\n\npub fn plan() -> Option<Plan> { None.unwrap() }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn it() { unsafe {} }\n}\n' > crates/engine/src/lib.rs
printf 'fn main() {\n    println!("{:?}", engine::plan());\n}\n' > crates/cli/src/main.rs
printf 'package com.acme.pay;\n\n@Service\npublic class PayService {\n  @Autowired private Repo repo;\n\n  public void pay(long id) throws PayException {}\n}\n' > java/src/main/java/com/acme/pay/PayService.java
printf 'package com.acme.pay;\n\npublic class PayException extends Exception {}\n' > java/src/main/java/com/acme/pay/PayException.java
printf 'package com.acme.pay;\n\nclass PayServiceTest {\n  @Test void pays() {}\n}\n' > java/src/test/java/com/acme/pay/PayServiceTest.java
printf '<project>\n  <dependency>\n    <artifactId>spring-boot</artifactId>\n    <version>3.3.0</version>\n  </dependency>\n</project>\n' > java/pom.xml
printf '#ifndef BUF_H\n#define BUF_H\n#define BUF_MAX 4096\nstruct buf { char *p; int n; };\nint buf_push(struct buf *b, char c);\n#endif\n' > native/include/buf.h
printf '#include <stdlib.h>\n#include "buf.h"\n\nint buf_push(struct buf *b, char c)\n{\n\tb->p = malloc(BUF_MAX);\n\treturn 0;\n}\n' > native/src/buf.c
printf 'CFLAGS = -Wall\n\nall: buf.o\n\nclean:\n\trm -f *.o\n' > native/Makefile
printf 'module Acme\n  class Client\n    attr_reader :host\n\n    def call(path)\n      raise "no" unless path\n    end\n  end\nend\n' > ruby/lib/acme/client.rb; printf 'describe Acme::Client do\n  it "calls"\nend\n' > ruby/spec/client_spec.rb; printf 'source "https://rubygems.org"\ngem "rspec", "~> 3.13"\n' > ruby/Gemfile
printf 'image:\n  repository: acme/api\n  tag: "1.2.3"\nreplicas: 3\nresources:\n  limits:\n    memory: 512Mi\n' > deploy/helm/values.yaml; sed 's/3$/5/' deploy/helm/values.yaml > deploy/helm/values-prod.yaml
printf 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: {{ .Values.replicas }}\n' > deploy/helm/templates/deployment.yaml; printf 'name: acme\nversion: 0.3.0\n' > deploy/helm/Chart.yaml
printf 'resource "aws_vpc" "main" {\n  cidr_block = var.cidr\n}\n' > deploy/terraform/modules/vpc/main.tf; printf 'variable "cidr" {\n  type = string\n}\n' > deploy/terraform/modules/vpc/variables.tf; printf 'module "vpc" {\n  source = "./modules/vpc"\n}\n' > deploy/terraform/main.tf
printf 'kind: Kustomization\nresources:\n  - ../../base\n' > deploy/k8s/overlays/prod/kustomization.yaml; printf 'apiVersion: v1\nkind: Service\nmetadata:\n  name: api\n---\nkind: Ingress\n' > deploy/k8s/service.yaml
printf '# Architecture\n\n## Store\n\n## API\n\nSee [adr](adr/0001-go.md).\n' > docs/architecture.md; for n in 0001-go 0002-postgres; do printf '# %s\n\nStatus: accepted\n' $n > docs/adr/$n.md; done
printf '#!/usr/bin/env bash\nset -e\necho release\n' > scripts/release.sh; chmod +x scripts/release.sh
for h in 10 11 12; do printf '2026-02-01T%s:00:01Z INFO api request_id=%s path=/v1/pay status=200 dur=12ms\n2026-02-01T%s:00:02Z ERROR store request_id=%s timeout after 5s\npanic: nil\n' $h a$h $h b$h; done > logs/api.log; gzip -c logs/api.log > logs/api.log.1.gz
printf '{"ts":1,"level":"error","msg":"boom","svc":"api"}\n{"ts":2,"level":"info","msg":"ok","svc":"ml"}\n' > logs/events.ndjson; printf '10.0.0.1 - - [01/Feb/2026:10:00:00 +0000] "GET /v1/pay HTTP/1.1" 500 12\n' > logs/nginx.log
printf '{"users":[{"id":1,"email":"a@example.org","roles":["admin"]},{"id":2,"email":"b@example.org","roles":[]}]}\n' > testdata/users.json; for n in a b; do printf 'out %s\n' $n > testdata/golden/$n.out; printf 'in %s\n' $n > testdata/golden/$n.in; done
printf 'region,amount\neu,10\nus,7\neu,3\n' > testdata/sales.csv; printf '\211PNG\r\n' > web/public/logo.png
for n in 001_users 002_orders; do printf 'CREATE TABLE %s (id bigint primary key);\n' ${n#*_} > migrations/$n.up.sql; printf 'DROP TABLE %s;\n' ${n#*_} > migrations/$n.down.sql; done
printf 'syntax = "proto3";\nservice Pay {\n  rpc Charge(ChargeRequest) returns (ChargeReply);\n}\nmessage ChargeRequest { string id = 1; }\n' > proto/pay.proto
printf 'name: ci\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: make test\n' > .github/workflows/ci.yml; printf 'FROM golang:1.24 AS build\nCOPY . .\nRUN go build ./cmd/server\nFROM scratch\n' > Dockerfile
printf 'services:\n  db:\n    image: postgres:16\n    ports: ["5432:5432"]\n' > docker-compose.yml; printf '.PHONY: test lint\n\ntest: ## run tests\n\tgo test ./...\n\nlint: ## lint all\n\tgolangci-lint run\n' > Makefile
printf '# Acme\n\n## Setup\n\nRun `make test`.\n\n## Layout\n\n- cmd\n' > README.md; printf '# Changes\n\n## [1.1.0] - 2026-01-10\n- more\n\n## [1.0.0] - 2025-12-01\n- first\n' > CHANGELOG.md; printf '/dist/\n.env\n*.log.bak\n' > .gitignore; printf '* @acme/core\n/web/ @acme/web\n' > .github/CODEOWNERS; printf 'root = true\n' > .editorconfig; printf '# Agents\n\nRead docs first.\n' > AGENTS.md
git add -A; git commit -q -m "Add the services"; git tag v1.0.0; printf '\n// Verified says so.\nfunc Verified() bool { return true }\n' >> internal/auth/auth.go; git commit -q -am "auth: say what is verified (#12)"; git tag -a v1.1.0 -m "1.1.0"
git checkout -q -b fix/timeout; printf '\nfunc Close() {}\n' >> internal/store/store.go; git commit -q -am "store: close"; git mv docs/architecture.md docs/overview.md; git commit -q -m "docs: rename"; git checkout -q main; printf '\nMore.\n' >> README.md; git commit -q -am "docs: more"; git checkout -q fix/timeout
printf '\n// draft\n' >> pkg/retry/retry.go; printf 'notes\n' > docs/scratch.md; printf 'API_TOKEN=abc\n' > .env
