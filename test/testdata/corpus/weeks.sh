#!/usr/bin/env bash
# Makes the repository that weeks.jsonl speaks of: weeks.sh DIR. A monorepo of parcels: Go, React, Django, Rust, Java, C, Rails, PHP, Terraform.
set -euo pipefail
d=$1
rm -rf "$d"; mkdir -p "$d"; cd "$d"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Mira GIT_AUTHOR_EMAIL=mira@example.org GIT_COMMITTER_NAME=Mira GIT_COMMITTER_EMAIL=mira@example.org
n=0
at() { n=$((n + 1)); export GIT_AUTHOR_DATE="2026-03-$(printf %02d $n)T10:00:00Z" GIT_COMMITTER_DATE="2026-03-$(printf %02d $n)T10:00:00Z"; }
f() { mkdir -p "$(dirname "$1")"; cat > "$1"; }
git init -q -b main .
git remote add origin https://git.example.org/lumen/lumen.git

# --- the root
printf '# Lumen\n\nParcels from door to door.\n\n## Getting started\n\nRun `make setup`.\n\n## Services\n\n| dir | what |\n|---|---|\n| services/gateway | Go API |\n| backend | Django |\n\n## Testing\n\n`make test`\n' | f README.md
printf '# Contributing\n\n## Commit style\n\nUse conventional commits.\n\n## Code style\n\nRun the linters.\n' | f CONTRIBUTING.md
printf '# Project guide\n\n- Go code in services/\n- Run `make test` before you commit.\n' | f CLAUDE.md
cp CLAUDE.md AGENTS.md
printf '# Changelog\n\n## [1.1.0] - 2026-03-05\n\n### Added\n- Rate limiting\n\n## [1.0.0] - 2026-03-03\n\n- First release\n' | f CHANGELOG.md
printf '.PHONY: setup test lint build\n\nsetup:\n\tpnpm install\n\ntest:\n\tgo test ./...\n\nlint:\n\tpnpm lint\n\nbuild: test\n\tdocker build .\n' | f Makefile
printf '{\n  "name": "lumen",\n  "private": true,\n  "packageManager": "pnpm@9.1.0",\n  "workspaces": ["apps/*", "packages/*"],\n  "scripts": {\n    "build": "turbo run build",\n    "lint": "turbo run lint",\n    "test": "turbo run test"\n  },\n  "devDependencies": {\n    "turbo": "^2.0.0",\n    "typescript": "^5.5.0"\n  }\n}\n' | f package.json
printf 'packages:\n  - apps/*\n  - packages/*\n' | f pnpm-workspace.yaml
printf "lockfileVersion: '9.0'\n\npackages:\n\n  react@18.3.1:\n    resolution: {integrity: sha512-x}\n\n  zod@3.23.8:\n    resolution: {integrity: sha512-y}\n" | f pnpm-lock.yaml
printf '{\n  "tasks": {\n    "build": {"dependsOn": ["^build"], "outputs": ["dist/**"]},\n    "lint": {}\n  }\n}\n' | f turbo.json
printf 'node_modules/\ntarget/\n/codec/build/\n.env\n*.log\n__pycache__/\ncoverage/\n/test-output.txt\n' | f .gitignore
printf 'DATABASE_URL=postgres://localhost/lumen\nREDIS_URL=\nLUMEN_API_URL=http://localhost:8080\n' | f .env.example
printf 'v20.11.0\n' | f .nvmrc; printf 'nodejs 20.11.0\ngolang 1.24.0\n' | f .tool-versions
printf 'root = true\n\n[*]\nindent_style = space\n' | f .editorconfig
printf 'repos:\n  - repo: https://example.org/hooks\n    rev: v4.6.0\n    hooks:\n      - id: trailing-whitespace\n' | f .pre-commit-config.yaml
printf 'module.exports = { root: true, extends: ["eslint:recommended"], rules: { "no-console": "warn" } };\n' | f .eslintrc.cjs
printf 'services:\n  postgres:\n    image: postgres:16\n    ports:\n      - "5432:5432"\n  redis:\n    image: redis:7\n' | f docker-compose.yml
printf 'name: CI\non:\n  pull_request:\njobs:\n  go:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/setup-go@v5\n        with:\n          go-version: "1.24"\n      - run: make test\n' | f .github/workflows/ci.yml
printf 'name: Release\non:\n  push:\n    tags: ["v*"]\njobs:\n  publish:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n' | f .github/workflows/release.yml
printf '/services/ @lumen/go\n/apps/ @lumen/web\n' | f .github/CODEOWNERS
printf '# Architecture\n\n## Gateway\n\nTalks to Postgres.\n\n## Worker\n\nReads the queue.\n\n## Billing\n\nSee [api](api.md).\n' | f docs/architecture.md
printf '# API\n\n## GET /v1/shipments\n\nLists shipments.\n\n## POST /v1/shipments\n\nMakes one.\n' | f docs/api.md
printf '# On call\n\n1. Look at the logs.\n' | f docs/runbooks/oncall.md
printf '#!/usr/bin/env bash\nset -euo pipefail\npnpm install\n' | f scripts/bootstrap.sh; printf '#!/usr/bin/env bash\nset -e\ngit tag "$1"\n' | f scripts/release.sh; printf 'import sys\n\nprint("seed", sys.argv)\n' | f scripts/seed.py; chmod +x scripts/*.sh

# --- Go
g=services/gateway
printf 'module example.org/lumen/gateway\n\ngo 1.24\n\nrequire (\n\tgithub.com/go-chi/chi/v5 v5.1.0\n\tgithub.com/jackc/pgx/v5 v5.6.0\n\tgolang.org/x/time v0.6.0 // indirect\n)\n' | f $g/go.mod
printf 'github.com/go-chi/chi/v5 v5.1.0 h1:aaa=\ngithub.com/jackc/pgx/v5 v5.6.0 h1:bbb=\n' | f $g/go.sum
f $g/cmd/gateway/main.go <<'E'
package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"example.org/lumen/gateway/internal/config"
	"example.org/lumen/gateway/internal/handler"
	"example.org/lumen/gateway/internal/middleware"
	"example.org/lumen/gateway/internal/repo"
)

func main() {
	cfg, err := config.Load()
	if err != nil {
		slog.Error("config", "err", err)
		os.Exit(1)
	}
	store := repo.NewMemory()
	h := handler.New(store)
	srv := &http.Server{Addr: cfg.Addr, Handler: middleware.Logging(middleware.RateLimit(h, cfg.RPS)), ReadTimeout: 5 * time.Second}
	_ = srv.Shutdown(context.Background())
}
E
f $g/internal/config/config.go <<'E'
package config

import (
	"fmt"
	"os"
	"strconv"
)

// Config is what the gateway is told.
type Config struct {
	Addr string
	RPS  int
}

// Load reads the environment.
func Load() (*Config, error) {
	c := &Config{Addr: os.Getenv("LUMEN_ADDR"), RPS: 50}
	if v := os.Getenv("LUMEN_RPS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, fmt.Errorf("LUMEN_RPS: %w", err)
		}
		c.RPS = n
	}
	return c, nil
}
E
{ printf 'package handler\n\nimport (\n\t"encoding/json"\n\t"errors"\n\t"net/http"\n\n\t"example.org/lumen/gateway/internal/repo"\n)\n\nvar ErrNotFound = errors.New("not found")\n\n// ShipmentHandler serves /v1/shipments.\ntype ShipmentHandler struct {\n\tstore repo.Store\n}\n\nfunc New(s repo.Store) http.Handler { return &ShipmentHandler{store: s} }\n\n'
for m in ServeHTTP GetShipment ListShipments CreateShipment UpdateStatus CancelShipment; do printf '// %s answers one request.\nfunc (h *ShipmentHandler) %s(w http.ResponseWriter, r *http.Request) {\n\tctx := r.Context()\n\tout, err := h.store.Find(ctx, r.PathValue("id"))\n\tif err != nil {\n\t\t// TODO: map errors\n\t\thttp.Error(w, err.Error(), http.StatusInternalServerError)\n\t\treturn\n\t}\n\t_ = json.NewEncoder(w).Encode(out)\n}\n\n' $m $m; done; } | f $g/internal/handler/shipment.go
f $g/internal/handler/shipment_test.go <<'E'
package handler

import (
	"net/http/httptest"
	"testing"
)

func TestGetShipment(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if w.Code != 200 {
		t.Fatalf("code %d", w.Code)
	}
}

func TestCreateShipment(t *testing.T) { t.Skip("needs a database") }
E
printf 'package handler\n\nimport "net/http"\n\n// Health says that we live.\nfunc Health(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }\n' | f $g/internal/handler/health.go
f $g/internal/middleware/auth.go <<'E'
package middleware

import (
	"net/http"
	"strings"
)

// Auth wants a bearer token.
func Auth(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if token == "" {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
E
printf 'package middleware\n\nimport "net/http"\n\nfunc Logging(next http.Handler) http.Handler { return next }\n' | f $g/internal/middleware/logging.go
printf 'package middleware\n\nimport (\n\t"net/http"\n\t"sync"\n)\n\ntype limiter struct {\n\tmu sync.Mutex\n\tn  int\n}\n\nfunc RateLimit(next http.Handler, rps int) http.Handler {\n\tl := &limiter{n: rps}\n\tl.mu.Lock()\n\tdefer l.mu.Unlock()\n\treturn next\n}\n' | f $g/internal/middleware/ratelimit.go
printf 'package repo\n\nimport "context"\n\ntype Shipment struct {\n\tID     string `json:"id"`\n\tStatus string `json:"status"`\n}\n\ntype Store interface {\n\tFind(ctx context.Context, id string) (*Shipment, error)\n}\n' | f $g/internal/repo/repo.go
printf 'package repo\n\nimport "context"\n\ntype Memory struct{ m map[string]*Shipment }\n\nfunc NewMemory() *Memory { return &Memory{m: map[string]*Shipment{}} }\n\nfunc (s *Memory) Find(ctx context.Context, id string) (*Shipment, error) { return s.m[id], nil }\n' | f $g/internal/repo/memory.go
printf 'package repo\n\nimport (\n\t"context"\n\t"fmt"\n)\n\ntype Postgres struct{ dsn string }\n\nfunc (p *Postgres) Find(ctx context.Context, id string) (*Shipment, error) {\n\treturn nil, fmt.Errorf("query %%q: timeout", id)\n}\n' | f $g/internal/repo/postgres.go
printf 'package geo\n\nimport "math"\n\n// Distance is in metres.\nfunc Distance(a, b float64) float64 { return math.Abs(a - b) }\n' | f $g/pkg/geo/distance.go
printf 'package geo\n\nimport "testing"\n\nfunc TestDistance(t *testing.T) {}\n\nfunc BenchmarkDistance(b *testing.B) {}\n' | f $g/pkg/geo/distance_test.go
printf 'module example.org/lumen/worker\n\ngo 1.24\n' | f services/worker/go.mod; printf 'package main\n\nfunc main() {}\n' | f services/worker/main.go
printf 'package queue\n\nimport "context"\n\n// Consume runs until ctx ends. FIXME: backoff.\nfunc Consume(ctx context.Context) error {\n\tgo func() { <-ctx.Done() }()\n\treturn nil\n}\n' | f services/worker/internal/queue/consumer.go

# --- TypeScript
w=apps/dashboard
printf '{\n  "name": "@lumen/dashboard",\n  "version": "1.1.0",\n  "scripts": {\n    "dev": "vite",\n    "build": "tsc && vite build",\n    "test": "vitest run",\n    "lint": "eslint src"\n  },\n  "dependencies": {\n    "@lumen/ui": "workspace:*",\n    "@tanstack/react-query": "^5.40.0",\n    "react": "^18.3.1",\n    "zod": "^3.23.8"\n  },\n  "devDependencies": {\n    "vite": "^5.2.0",\n    "vitest": "^1.6.0"\n  }\n}\n' | f $w/package.json
printf '{\n  "extends": "../../packages/config/tsconfig.base.json",\n  "compilerOptions": {\n    "baseUrl": ".",\n    "paths": { "@/*": ["src/*"] }\n  },\n  "include": ["src"]\n}\n' | f $w/tsconfig.json
printf 'import { defineConfig } from "vite";\n\nexport default defineConfig({ server: { port: 5173, proxy: { "/v1": "http://localhost:8080" } } });\n' | f $w/vite.config.ts; printf '<div id="root"></div>\n' | f $w/index.html
printf 'import App from "./App";\n\nexport default App;\n' | f $w/src/main.tsx
printf 'import { ShipmentsPage } from "@/pages/ShipmentsPage";\nimport { LoginPage } from "@/pages/LoginPage";\n\nexport default function App() {\n  return location.pathname === "/login" ? <LoginPage /> : <ShipmentsPage />;\n}\n' | f $w/src/App.tsx
printf 'const BASE = import.meta.env.VITE_API_URL ?? "/v1";\n\nexport async function request<T>(path: string, init?: RequestInit): Promise<T> {\n  const res = await fetch(BASE + path, init);\n  if (!res.ok) {\n    throw new Error(`HTTP ${res.status}`);\n  }\n  return res.json() as Promise<T>;\n}\n' | f $w/src/api/client.ts
printf 'import { request } from "./client";\nimport type { Shipment } from "../types/shipment";\n\nexport const fetchShipments = () => request<Shipment[]>("/shipments");\nexport const createShipment = (s: Partial<Shipment>) => request<Shipment>("/shipments", { method: "POST", body: JSON.stringify(s) });\n' | f $w/src/api/shipments.ts
printf 'import { useQuery } from "@tanstack/react-query";\nimport { fetchShipments } from "../api/shipments";\n\nexport function useShipments() {\n  return useQuery({ queryKey: ["shipments"], queryFn: fetchShipments });\n}\n' | f $w/src/hooks/useShipments.ts
printf 'import { useEffect, useState } from "react";\n\nexport function useDebounce<T>(value: T, ms = 300): T {\n  const [v, setV] = useState(value);\n  useEffect(() => {\n    const id = setTimeout(() => setV(value), ms);\n    return () => clearTimeout(id);\n  }, [value, ms]);\n  return v;\n}\n' | f $w/src/hooks/useDebounce.ts
printf 'import { useShipments } from "../hooks/useShipments";\nimport { StatusBadge } from "./StatusBadge";\n\ninterface ShipmentTableProps {\n  onSelect(id: string): void;\n}\n\nexport function ShipmentTable({ onSelect }: ShipmentTableProps) {\n  const { data } = useShipments();\n  console.log("rows", data);\n  // TODO: paging\n  return (\n    <table className="w-full">\n      {(data as any)?.map((s) => (\n        <tr key={s.id} onClick={() => onSelect(s.id)}>\n          <td><StatusBadge status={s.status} /></td>\n        </tr>\n      ))}\n    </table>\n  );\n}\n' | f $w/src/components/ShipmentTable.tsx
printf 'export const StatusBadge = ({ status }: { status: string }) => <span className={`badge badge-${status}`}>{status}</span>;\n' | f $w/src/components/StatusBadge.tsx
printf 'import styles from "./Filters.module.css";\n\nexport const Filters = () => <div className={styles.root} />;\n' | f $w/src/components/Filters/index.tsx; printf '.root { color: #333; }\n' | f $w/src/components/Filters/Filters.module.css
printf 'import { ShipmentTable } from "../components/ShipmentTable";\n\nexport const ShipmentsPage = () => <ShipmentTable onSelect={() => {}} />;\n' | f $w/src/pages/ShipmentsPage.tsx
printf 'export const LoginPage = () => {\n  // @ts-ignore\n  return <form onSubmit={handleSubmit} />;\n};\n' | f $w/src/pages/LoginPage.tsx
printf 'export { shipmentReducer } from "./shipmentSlice";\nexport { authReducer } from "./authSlice";\n' | f $w/src/store/index.ts; printf 'export const shipmentReducer = (s = [], a: any) => s;\n' | f $w/src/store/shipmentSlice.ts; printf 'export const authReducer = (s = null, a: any) => s;\n' | f $w/src/store/authSlice.ts
printf 'export type ShipmentStatus = "created" | "in_transit" | "delivered";\n\nexport interface Shipment {\n  id: string;\n  status: ShipmentStatus;\n  weightGrams: number;\n}\n' | f $w/src/types/shipment.ts
printf 'export const formatWeight = (g: number) => `${(g / 1000).toFixed(1)} kg`;\n\nexport const formatDate = (d: Date) => d.toISOString();\n' | f $w/src/utils/format.ts
printf 'import { formatWeight } from "../utils/format";\n\ndescribe("formatWeight", () => {\n  it("rounds", () => {\n    expect(formatWeight(1500)).toBe("1.5 kg");\n  });\n});\n' | f $w/src/__tests__/format.test.ts; printf 'test.skip("renders", () => {});\n' | f $w/src/__tests__/ShipmentTable.test.tsx
printf '{\n  "name": "@lumen/mobile",\n  "version": "0.3.0",\n  "dependencies": { "@lumen/ui": "workspace:*" }\n}\n' | f apps/mobile/package.json; printf 'export {};\n' | f apps/mobile/src/index.ts
printf '{\n  "name": "@lumen/ui",\n  "version": "0.5.0",\n  "main": "src/index.ts",\n  "exports": { ".": "./src/index.ts" }\n}\n' | f packages/ui/package.json; printf 'export const Button = (p: { variant?: "primary" | "ghost" }) => null;\n' | f packages/ui/src/Button.tsx; printf 'export * from "./Button";\n' | f packages/ui/src/index.ts
printf '{\n  "compilerOptions": { "strict": true, "target": "ES2022", "moduleResolution": "bundler" }\n}\n' | f packages/config/tsconfig.base.json; printf '{"name": "@lumen/config", "version": "0.1.0"}\n' | f packages/config/package.json
printf '{"name": "react", "version": "18.3.1"}\n' | f node_modules/react/package.json; printf '{"name": "zod", "version": "3.23.8", "types": "./index.d.ts"}\n' | f node_modules/zod/package.json; printf 'export declare function object(shape: unknown): ZodObject;\nexport interface ZodObject {}\n' | f node_modules/zod/index.d.ts
printf '{"name": "@tanstack/react-query", "version": "5.40.0"}\n' | f node_modules/@tanstack/react-query/package.json; printf 'export interface UseQueryOptions {\n  queryKey: unknown[];\n  staleTime?: number;\n}\n' | f node_modules/@tanstack/react-query/index.d.ts

# --- Django
printf '#!/usr/bin/env python\nimport os\nimport sys\n\nif __name__ == "__main__":\n    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lumen.settings.dev")\n' | f backend/manage.py
printf '[pytest]\nDJANGO_SETTINGS_MODULE = lumen.settings.dev\naddopts = -q\n' | f backend/pytest.ini
printf '[project]\nname = "lumen-backend"\nversion = "1.1.0"\nrequires-python = ">=3.11"\n\n[tool.ruff]\nline-length = 100\n\n[tool.mypy]\nstrict = true\n' | f backend/pyproject.toml
printf 'Django==5.0.6\ncelery==5.4.0\ndjangorestframework==3.15.1\npsycopg[binary]==3.1.19\n' | f backend/requirements/base.txt; printf -- '-r base.txt\npytest==8.2.0\npytest-django==4.8.0\n' | f backend/requirements/dev.txt
: | f backend/lumen/__init__.py; : | f backend/lumen/settings/__init__.py
printf 'from pathlib import Path\n\nBASE_DIR = Path(__file__).resolve().parent\n\nDEBUG = False\n\nINSTALLED_APPS = [\n    "django.contrib.admin",\n    "rest_framework",\n    "couriers",\n    "shipments",\n]\n\nMIDDLEWARE = [\n    "django.middleware.security.SecurityMiddleware",\n    "lumen.middleware.RequestIdMiddleware",\n]\n\nDATABASES = {"default": {"ENGINE": "django.db.backends.postgresql"}}\n\nCELERY_BROKER_URL = "redis://localhost:6379/0"\nLOGGING = {"version": 1}\n' | f backend/lumen/settings/base.py
printf 'from .base import *  # noqa\n\nDEBUG = True\n' | f backend/lumen/settings/dev.py; printf 'from .base import *  # noqa\n\nALLOWED_HOSTS = ["lumen.example.org"]\n' | f backend/lumen/settings/prod.py
printf 'from django.urls import include, path\n\nurlpatterns = [\n    path("api/couriers/", include("couriers.urls")),\n    path("api/shipments/", include("shipments.urls")),\n]\n' | f backend/lumen/urls.py; printf 'from celery import Celery\n\napp = Celery("lumen")\n' | f backend/lumen/celery.py; printf 'class RequestIdMiddleware:\n    def __call__(self, request):\n        return self.get_response(request)\n' | f backend/lumen/middleware.py
for a in couriers shipments; do : | f backend/$a/__init__.py; : | f backend/$a/migrations/__init__.py; : | f backend/$a/tests/__init__.py
printf 'from django.urls import path\n\nfrom . import views\n\nurlpatterns = [path("", views.index)]\n' | f backend/$a/urls.py; printf 'from django.contrib import admin\n\nfrom . import models\n' | f backend/$a/admin.py; printf 'from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    dependencies = []\n    operations = [migrations.CreateModel(name="X", fields=[])]\n' | f backend/$a/migrations/0001_initial.py; done
printf 'from django.db import models\n\n\nclass Courier(models.Model):\n    name = models.CharField(max_length=120)\n    phone = models.CharField(max_length=32, blank=True)\n    active = models.BooleanField(default=True)\n\n    class Meta:\n        ordering = ["name"]\n\n    def __str__(self):\n        return self.name\n\n    @property\n    def initials(self):\n        return self.name[:1]\n' | f backend/couriers/models.py
printf 'from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    dependencies = [("couriers", "0001_initial")]\n    operations = [migrations.AddField("courier", "phone", models.CharField(max_length=32))]\n' | f backend/couriers/migrations/0002_courier_phone.py
{ printf 'import logging\n\nfrom rest_framework import viewsets\nfrom rest_framework.decorators import action\nfrom rest_framework.response import Response\n\nfrom .models import Courier\nfrom .serializers import CourierSerializer\n\nlogger = logging.getLogger(__name__)\n\n\ndef index(request):\n    return Response([])\n\n\nclass CourierViewSet(viewsets.ModelViewSet):\n    queryset = Courier.objects.filter(active=True)\n    serializer_class = CourierSerializer\n\n'; for m in assign release suspend history; do printf '    @action(detail=True, methods=["post"])\n    def %s(self, request, pk=None):\n        courier = self.get_object()\n        try:\n            courier.save()\n        except Exception:\n            logger.exception("%s failed")\n            raise\n        return Response({"ok": True})\n\n' $m $m; done; } | f backend/couriers/views.py
printf 'from rest_framework import serializers\n\nfrom .models import Courier\n\n\nclass CourierSerializer(serializers.ModelSerializer):\n    class Meta:\n        model = Courier\n        fields = ["id", "name", "phone"]\n\n    def validate_phone(self, value):\n        return value.strip()\n' | f backend/couriers/serializers.py
printf 'from lumen.celery import app\n\n\n@app.task(bind=True, max_retries=3)\ndef notify_courier(self, courier_id):\n    print("notify", courier_id)\n' | f backend/couriers/tasks.py
printf 'import pytest\n\n\n@pytest.mark.django_db\ndef test_assign(client):\n    assert client.post("/api/couriers/1/assign/").status_code == 404\n\n\n@pytest.mark.django_db\ndef test_release(client):\n    assert True\n' | f backend/couriers/tests/test_views.py
printf 'from django.db import models\n\nfrom couriers.models import Courier\n\n\nclass Shipment(models.Model):\n    STATUS = [("created", "Created"), ("in_transit", "In transit")]\n    status = models.CharField(max_length=16, choices=STATUS)\n    courier = models.ForeignKey(Courier, null=True, on_delete=models.SET_NULL)\n' | f backend/shipments/models.py
printf 'def index(request):\n    # TODO: page\n    return None\n' | f backend/shipments/views.py; printf 'from django.db.models.signals import post_save\nfrom django.dispatch import receiver\n\nfrom .models import Shipment\n\n\n@receiver(post_save, sender=Shipment)\ndef on_saved(sender, instance, **kwargs):\n    pass\n' | f backend/shipments/signals.py; printf 'def test_index():\n    assert True\n' | f backend/shipments/tests/test_models.py
printf '{%% load i18n %%}\n<p>{{ courier.name }}</p>\n' | f backend/templates/emails/welcome.html; printf 'import pytest\n\n\n@pytest.fixture\ndef courier(db):\n    return None\n' | f backend/conftest.py

# --- Rust
r=tools/indexer
printf '[package]\nname = "indexer"\nversion = "0.2.1"\nedition = "2021"\n\n[dependencies]\nanyhow = "1.0"\nserde = { version = "1.0", features = ["derive"] }\nthiserror = "1.0"\n\n[dev-dependencies]\ncriterion = "0.5"\n\n[[bench]]\nname = "parse"\nharness = false\n' | f $r/Cargo.toml
printf 'version = 3\n\n[[package]]\nname = "anyhow"\nversion = "1.0.86"\n\n[[package]]\nname = "serde"\nversion = "1.0.203"\n' | f $r/Cargo.lock
printf 'use anyhow::Result;\n\nmod error;\n\nfn main() -> Result<()> {\n    let path = std::env::args().nth(1).unwrap();\n    println!("{path}");\n    Ok(())\n}\n' | f $r/src/main.rs
printf 'pub mod error;\npub mod index;\npub mod parser;\n\npub use parser::Parser;\n' | f $r/src/lib.rs
printf 'use thiserror::Error;\n\n#[derive(Debug, Error)]\npub enum IndexError {\n    #[error("unexpected token {0}")]\n    Unexpected(String),\n    #[error(transparent)]\n    Io(#[from] std::io::Error),\n}\n' | f $r/src/error.rs
printf 'pub mod lexer;\npub mod token;\n\nuse lexer::Lexer;\nuse token::Token;\n\npub struct Parser<'"'"'a> {\n    lexer: Lexer<'"'"'a>,\n    peeked: Option<Token>,\n}\n\nimpl<'"'"'a> Parser<'"'"'a> {\n    pub fn new(src: &'"'"'a str) -> Self {\n        Self { lexer: Lexer::new(src), peeked: None }\n    }\n\n    pub fn parse(&mut self) -> Option<Token> {\n        match self.lexer.next_token() {\n            Token::Eof => None,\n            t => Some(t),\n        }\n    }\n}\n' | f $r/src/parser/mod.rs
printf 'use super::token::Token;\n\npub struct Lexer<'"'"'a> {\n    src: &'"'"'a str,\n    pos: usize,\n}\n\nimpl<'"'"'a> Lexer<'"'"'a> {\n    pub fn new(src: &'"'"'a str) -> Self { Self { src, pos: 0 } }\n    pub fn next_token(&mut self) -> Token {\n        if self.pos >= self.src.len() { return Token::Eof; }\n        todo!()\n    }\n}\n' | f $r/src/parser/lexer.rs
printf '#[derive(Debug, Clone, PartialEq)]\npub enum Token {\n    Ident(String),\n    Number(i64),\n    Eof,\n}\n' | f $r/src/parser/token.rs; printf 'pub mod btree;\n' | f $r/src/index/mod.rs; printf 'pub struct BTree {\n    root: Option<Box<Node>>,\n}\n\nstruct Node;\n\nimpl BTree {\n    pub fn insert(&mut self, _k: u64) { unsafe { std::hint::unreachable_unchecked() } }\n}\n\nimpl Default for BTree {\n    fn default() -> Self { Self { root: None } }\n}\n' | f $r/src/index/btree.rs
printf '#[test]\nfn roundtrip() {\n    assert_eq!(1, 1);\n}\n' | f $r/tests/roundtrip.rs; printf 'fn main() {}\n' | f $r/benches/parse.rs

# --- Java
j=billing/src/main/java/io/lumen/billing
printf '<project>\n  <groupId>io.lumen</groupId>\n  <artifactId>billing</artifactId>\n  <version>1.1.0-SNAPSHOT</version>\n  <properties>\n    <java.version>21</java.version>\n  </properties>\n  <dependencies>\n    <dependency>\n      <groupId>org.springframework.boot</groupId>\n      <artifactId>spring-boot-starter-web</artifactId>\n      <version>3.2.5</version>\n    </dependency>\n    <dependency>\n      <groupId>org.flywaydb</groupId>\n      <artifactId>flyway-core</artifactId>\n    </dependency>\n  </dependencies>\n</project>\n' | f billing/pom.xml
printf 'package io.lumen.billing;\n\n@SpringBootApplication\npublic class BillingApplication {\n  public static void main(String[] args) {}\n}\n' | f $j/BillingApplication.java
printf 'package io.lumen.billing.controller;\n\nimport io.lumen.billing.service.InvoiceService;\n\n@RestController\n@RequestMapping("/invoices")\npublic class InvoiceController {\n  private final InvoiceService service;\n\n  @GetMapping("/{id}")\n  public Invoice get(@PathVariable Long id) { return service.find(id); }\n\n  @PostMapping\n  public Invoice create(@RequestBody Invoice in) { return service.create(in); }\n}\n' | f $j/controller/InvoiceController.java
printf 'package io.lumen.billing.service;\n\n@Service\npublic class InvoiceService {\n  private static final Logger log = LoggerFactory.getLogger(InvoiceService.class);\n  private final TaxCalculator tax;\n\n  @Transactional\n  public Invoice create(Invoice in) {\n    log.info("create {}", in);\n    return in.withTax(tax.of(in.total()));\n  }\n\n  public Invoice find(Long id) {\n    throw new IllegalArgumentException("no invoice " + id);\n  }\n}\n' | f $j/service/InvoiceService.java
printf 'package io.lumen.billing.service;\n\npublic class TaxCalculator {\n  public BigDecimal of(BigDecimal total) {\n    return total.multiply(new BigDecimal("0.19")); // TODO per country\n  }\n}\n' | f $j/service/TaxCalculator.java
printf 'package io.lumen.billing.repository;\n\npublic interface InvoiceRepository extends JpaRepository<Invoice, Long> {}\n' | f $j/repository/InvoiceRepository.java; printf 'package io.lumen.billing.model;\n\n@Entity\npublic class Invoice {\n  @Id private Long id;\n}\n' | f $j/model/Invoice.java
printf 'server:\n  port: 8082\nspring:\n  datasource:\n    url: jdbc:postgresql://localhost/billing\n  jpa:\n    open-in-view: false\n' | f billing/src/main/resources/application.yml; printf '<configuration/>\n' | f billing/src/main/resources/logback.xml; printf 'create table invoice (id bigint primary key, total numeric);\n' | f billing/src/main/resources/db/migration/V1__init.sql; printf 'alter table invoice add column tax numeric;\n' | f billing/src/main/resources/db/migration/V2__tax.sql
printf 'package io.lumen.billing.service;\n\nclass TaxCalculatorTest {\n  @Test\n  void nineteen() {}\n\n  @Disabled\n  @Test\n  void other() {}\n}\n' | f billing/src/test/java/io/lumen/billing/service/TaxCalculatorTest.java
printf 'Test set: io.lumen.billing.service.TaxCalculatorTest\nTests run: 2, Failures: 1, Errors: 0, Skipped: 1\njava.lang.AssertionError: expected 19\n\tat io.lumen.billing.service.TaxCalculatorTest.nineteen(TaxCalculatorTest.java:5)\n' | f billing/target/surefire-reports/io.lumen.billing.service.TaxCalculatorTest.txt

# --- C
printf 'cmake_minimum_required(VERSION 3.20)\nproject(codec C)\n\noption(CODEC_BUILD_TESTS "Build tests" ON)\nset(CMAKE_C_STANDARD 11)\nlist(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)\nfind_package(Zstd)\nadd_subdirectory(src)\nif(CODEC_BUILD_TESTS)\n  add_executable(test_ring tests/test_ring.c)\n  target_link_libraries(test_ring PRIVATE codec)\nendif()\n' | f codec/CMakeLists.txt; printf 'add_library(codec frame.c ring.c crc32.c)\ntarget_include_directories(codec PUBLIC ../include)\n' | f codec/src/CMakeLists.txt; printf 'find_library(ZSTD_LIBRARY zstd)\n' | f codec/cmake/FindZstd.cmake
printf '#ifndef CODEC_FRAME_H\n#define CODEC_FRAME_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#define FRAME_MAX 65536\n\ntypedef struct frame {\n    uint32_t len;\n    uint8_t *data;\n} frame_t;\n\nint frame_decode(const uint8_t *in, size_t n, frame_t *out);\nvoid frame_free(frame_t *f);\n\n#endif\n' | f codec/include/codec/frame.h
printf '#ifndef CODEC_RING_H\n#define CODEC_RING_H\n#include <stddef.h>\nstruct ring;\nstruct ring *ring_new(size_t cap);\nint ring_push(struct ring *r, int v);\n#endif\n' | f codec/include/codec/ring.h; printf '#include <stdint.h>\nuint32_t crc32(const void *p, unsigned long n);\n' | f codec/include/codec/crc32.h
printf '#include "codec/frame.h"\n\n#include <stdlib.h>\n#include <string.h>\n\nint frame_decode(const uint8_t *in, size_t n, frame_t *out)\n{\n    if (n < 4)\n        return -1;\n    memcpy(&out->len, in, 4);\n    out->data = malloc(out->len);\n    /* XXX: no bounds check */\n    memcpy(out->data, in + 4, out->len);\n    return 0;\n}\n\nvoid frame_free(frame_t *f)\n{\n    free(f->data);\n}\n' | f codec/src/frame.c
printf '#include "codec/ring.h"\n\n#include <stdlib.h>\n\nstruct ring {\n    size_t cap, head, tail;\n    int *buf;\n};\n\nstruct ring *ring_new(size_t cap)\n{\n    struct ring *r = calloc(1, sizeof *r);\n    r->buf = malloc(cap * sizeof(int));\n    r->cap = cap;\n    return r;\n}\n\nint ring_push(struct ring *r, int v)\n{\n#ifdef DEBUG\n    abort();\n#endif\n    r->buf[r->head++ %% r->cap] = v;\n    return 0;\n}\n' | f codec/src/ring.c; printf '#include "codec/crc32.h"\n\nuint32_t crc32(const void *p, unsigned long n) { return 0; }\n' | f codec/src/crc32.c; printf '#include "codec/ring.h"\n\nint main(void) { return ring_push(ring_new(4), 1); }\n' | f codec/tests/test_ring.c
printf '[\n  {"directory": "/b", "file": "src/frame.c", "command": "cc -c -O2 src/frame.c"},\n  {"directory": "/b", "file": "src/ring.c", "command": "cc -c src/ring.c"}\n]\n' | f codec/build/compile_commands.json; printf 'CMAKE_BUILD_TYPE:STRING=Debug\nCODEC_BUILD_TESTS:BOOL=ON\n' | f codec/build/CMakeCache.txt

# --- Rails
printf 'source "https://rubygems.org"\n\ngem "rails", "~> 7.1"\ngem "sidekiq"\n\ngroup :test do\n  gem "rspec-rails"\nend\n' | f portal/Gemfile; printf 'GEM\n  specs:\n    rails (7.1.3)\n    rspec-rails (6.1.2)\n    sidekiq (7.2.4)\n' | f portal/Gemfile.lock
printf 'Rails.application.routes.draw do\n  resources :parcels, only: [:index, :show]\n  resource :session\n  namespace :api do\n    resources :events\n  end\nend\n' | f portal/config/routes.rb; printf 'default: &default\n  adapter: postgresql\n  pool: 5\n\ndevelopment:\n  <<: *default\n' | f portal/config/database.yml; for e in development production; do printf 'Rails.application.configure do\n  config.eager_load = true\nend\n' | f portal/config/environments/$e.rb; done
printf 'class Parcel < ApplicationRecord\n  include Trackable\n\n  belongs_to :user\n  has_many :events, dependent: :destroy\n\n  validates :code, presence: true\n  scope :late, -> { where("due_at < ?", Time.current) }\n\n  before_save :normalise\n\n  def late?\n    due_at.past?\n  end\nend\n' | f portal/app/models/parcel.rb; printf 'class User < ApplicationRecord\n  has_secure_password\n  has_many :parcels\nend\n' | f portal/app/models/user.rb; printf 'module Trackable\n  extend ActiveSupport::Concern\n\n  included do\n    after_commit :track\n  end\nend\n' | f portal/app/models/concerns/trackable.rb
printf 'class ApplicationController < ActionController::Base\n  before_action :authenticate\nend\n' | f portal/app/controllers/application_controller.rb; printf 'class ParcelsController < ApplicationController\n  def index\n    @parcels = Parcel.late.includes(:events)\n  end\n\n  def show\n    @parcel = Parcel.find(params[:id])\n  end\n\n  private\n\n  def parcel_params\n    params.require(:parcel).permit(:code)\n  end\nend\n' | f portal/app/controllers/parcels_controller.rb; printf 'class SessionsController < ApplicationController\n  skip_before_action :authenticate\nend\n' | f portal/app/controllers/sessions_controller.rb
printf '<%%= render @parcels %%>\n' | f portal/app/views/parcels/index.html.erb; printf '<h1><%%= @parcel.code %%></h1>\n' | f portal/app/views/parcels/show.html.erb; printf 'class NotifyJob < ApplicationJob\n  queue_as :default\n\n  def perform(id) = Parcel.find(id)\nend\n' | f portal/app/jobs/notify_job.rb
printf 'ActiveRecord::Schema[7.1].define(version: 2026_03_01_101010) do\n  create_table "parcels", force: :cascade do |t|\n    t.string "code", null: false\n    t.datetime "due_at"\n    t.index ["code"], name: "index_parcels_on_code", unique: true\n  end\n\n  create_table "users", force: :cascade do |t|\n    t.string "email"\n  end\nend\n' | f portal/db/schema.rb; printf 'class CreateParcels < ActiveRecord::Migration[7.1]\n  def change; end\nend\n' | f portal/db/migrate/20260201090000_create_parcels.rb; printf 'class AddDueAt < ActiveRecord::Migration[7.1]\n  def change; end\nend\n' | f portal/db/migrate/20260301101010_add_due_at.rb
printf 'require "rails_helper"\n\nRSpec.describe Parcel do\n  it "is late" do\n    expect(build(:parcel)).to be_late\n  end\nend\n' | f portal/spec/models/parcel_spec.rb; printf 'FactoryBot.define do\n  factory :parcel do\n    code { "P1" }\n  end\nend\n' | f portal/spec/factories/parcels.rb; printf 'namespace :cleanup do\n  task old: :environment do\n  end\nend\n' | f portal/lib/tasks/cleanup.rake; printf 'Started GET "/parcels" for 127.0.0.1\nCompleted 200 OK in 12ms\nStarted GET "/parcels/9" for 127.0.0.1\nActiveRecord::RecordNotFound (no Parcel 9)\nCompleted 404 Not Found in 3ms\n' | f portal/log/development.log

# --- PHP
printf '{\n  "name": "lumen/legacy",\n  "require": { "php": ">=8.2", "slim/slim": "^4.13" },\n  "require-dev": { "phpunit/phpunit": "^11.0" },\n  "autoload": { "psr-4": { "Lumen\\\\": "src/" } },\n  "scripts": { "test": "phpunit" }\n}\n' | f legacy/composer.json; printf '{"packages": [{"name": "slim/slim", "version": "4.13.0"}, {"name": "psr/log", "version": "3.0.0"}]}\n' | f legacy/composer.lock; printf '<?php\n\nrequire __DIR__ . "/../vendor/autoload.php";\n' | f legacy/public/index.php
printf '<?php\n\nnamespace Lumen\\Controller;\n\nuse Lumen\\Model\\Parcel;\nuse Lumen\\Service\\MailService;\n\nfinal class TrackController\n{\n    public function __construct(private MailService $mail)\n    {\n    }\n\n    public function show(string $code): array\n    {\n        $parcel = Parcel::byCode($code);\n        var_dump($parcel);\n\n        return ["code" => $code];\n    }\n\n    private function notify(Parcel $p): void\n    {\n        $this->mail->send($p);\n    }\n}\n' | f legacy/src/Controller/TrackController.php; printf '<?php\n\nnamespace Lumen\\Service;\n\nclass MailService\n{\n    public function send($p): void\n    {\n        mail("x", "y", "z");\n    }\n}\n' | f legacy/src/Service/MailService.php; printf '<?php\n\nnamespace Lumen\\Model;\n\nclass Parcel\n{\n    public static function byCode(string $c): ?self\n    {\n        return mysql_query("select 1");\n    }\n}\n' | f legacy/src/Model/Parcel.php
printf '<?php\n\n$app->get("/track/{code}", [TrackController::class, "show"]);\n' | f legacy/routes/web.php; printf '<?php\n\nreturn ["debug" => false];\n' | f legacy/config/app.php; printf '<?php\n\nclass TrackTest extends TestCase\n{\n    public function testShow(): void {}\n}\n' | f legacy/tests/TrackTest.php; printf '<phpunit/>\n' | f legacy/phpunit.xml

# --- Terraform
printf 'provider "aws" {\n  region = var.region\n}\n\nmodule "network" {\n  source = "./modules/network"\n  cidr   = var.cidr\n}\n\nmodule "database" {\n  source     = "./modules/database"\n  subnet_ids = module.network.private_subnet_ids\n}\n' | f infra/main.tf; printf 'variable "region" {\n  type    = string\n  default = "eu-central-1"\n}\n\nvariable "cidr" {\n  type = string\n}\n' | f infra/variables.tf; printf 'output "vpc_id" {\n  value = module.network.vpc_id\n}\n' | f infra/outputs.tf; printf 'terraform {\n  required_version = ">= 1.7"\n  required_providers {\n    aws = {\n      source  = "hashicorp/aws"\n      version = "~> 5.50"\n    }\n  }\n}\n' | f infra/versions.tf
printf 'resource "aws_vpc" "this" {\n  cidr_block = var.cidr\n}\n\nresource "aws_subnet" "private" {\n  count  = 3\n  vpc_id = aws_vpc.this.id\n}\n' | f infra/modules/network/main.tf; printf 'output "vpc_id" {\n  value = aws_vpc.this.id\n}\n\noutput "private_subnet_ids" {\n  value = aws_subnet.private[*].id\n}\n' | f infra/modules/network/outputs.tf; printf 'variable "cidr" {}\n' | f infra/modules/network/variables.tf
printf 'resource "aws_db_instance" "main" {\n  engine         = "postgres"\n  instance_class = "db.t4g.medium"\n}\n\nresource "aws_security_group" "db" {\n  ingress {\n    from_port = 5432\n  }\n}\n' | f infra/modules/database/main.tf; printf 'variable "subnet_ids" {}\n' | f infra/modules/database/variables.tf; for e in staging prod; do printf 'module "stack" {\n  source = "../.."\n  cidr   = "10.%s.0.0/16"\n}\n' ${#e} | f infra/envs/$e/main.tf; done

# --- what runs left behind
for h in 08 09 10; do printf '2026-03-09T%s:15:01Z level=info msg="request" method=GET path=/v1/shipments status=200 dur_ms=14\n2026-03-09T%s:15:02Z level=error msg="query failed" err="timeout" path=/v1/shipments/42 status=500 dur_ms=5003\n2026-03-09T%s:15:03Z level=warn msg="rate limited" ip=10.0.0.7 status=429 dur_ms=1\n' $h $h $h; done | f logs/gateway.log
printf '{"level":"info","msg":"start"}\n{"level":"error","msg":"dead letter","id":"s-42"}\n{"level":"info","msg":"ack","id":"s-43"}\n' | f logs/worker.log
printf '=== RUN   TestGetShipment\n--- FAIL: TestGetShipment (0.00s)\n    shipment_test.go:12: code 500\n=== RUN   TestDistance\n--- PASS: TestDistance (0.00s)\nFAIL\nFAIL\texample.org/lumen/gateway/internal/handler\t0.004s\nok  \texample.org/lumen/gateway/pkg/geo\t0.002s\n' | f test-output.txt
printf '[ 10%%] Building C object src/frame.c.o\nsrc/frame.c:14:5: warning: unchecked length\n[ 20%%] Building C object src/ring.c.o\nsrc/ring.c:22:1: error: expected declaration\nmake: *** [all] Error 2\n' | f build.log
printf '{"total": {"lines": {"pct": 81.5}}, "src/utils/format.ts": {"lines": {"pct": 50}}, "src/api/client.ts": {"lines": {"pct": 91}}}\n' | f coverage/coverage-summary.json
printf '{"shipments": [{"id": "s-42", "status": "in_transit", "weightGrams": 1200, "events": [{"at": "2026-03-01", "type": "scan"}]}, {"id": "s-43", "status": "delivered", "weightGrams": 300, "events": []}]}\n' | f testdata/shipments.json; printf 'id,status,weight\ns-42,in_transit,1200\ns-43,delivered,300\ns-44,in_transit,90\n' | f testdata/shipments.csv

# --- history
at; git add README.md CONTRIBUTING.md Makefile package.json pnpm-workspace.yaml pnpm-lock.yaml turbo.json .gitignore .env.example .editorconfig .nvmrc; git commit -q -m "chore: scaffold the repository"
at; git add services tools codec; git commit -q -m "feat(gateway): serve shipments"; git tag v0.9.0
at; git add -A; git commit -q -m "feat: add the web, billing and portal apps (#3)"; git tag -a v1.0.0 -m "1.0.0"
at; printf '\n// NewPostgres dials.\nfunc NewPostgres(dsn string) *Postgres { return &Postgres{dsn: dsn} }\n' >> $g/internal/repo/postgres.go; git commit -q -am "feat(gateway): postgres store (#5)"
at; sed -i 's/rps int) http/rps int) http/; s/n: rps}/n: max(rps, 1)}/' $g/internal/middleware/ratelimit.go; git commit -q -am "fix(gateway): never limit to zero (#7)"; git tag v1.1.0
at; git checkout -q -b fix/rate-limit; printf '\nfunc (l *limiter) take() bool { return l.n > 0 }\n' >> $g/internal/middleware/ratelimit.go; git commit -q -am "wip: take"; git checkout -q main
at; git mv docs/runbooks/oncall.md docs/runbooks/on-call.md; git rm -q scripts/seed.py; git commit -q -m "docs: rename the runbook, drop the seed script"; git update-ref refs/remotes/origin/main HEAD
git checkout -q -b feature/tracking-map
at; printf '\nexport const formatEta = (m: number) => `${m} min`;\n' >> $w/src/utils/format.ts; git commit -q -am "feat(dashboard): format an ETA"
at; printf 'import type { Shipment } from "../types/shipment";\n\nexport function TrackingMap({ shipment }: { shipment: Shipment }) {\n  return <div data-id={shipment.id} />;\n}\n' > $w/src/components/TrackingMap.tsx; git add -A; git commit -q -m "feat(dashboard): tracking map"
at; printf '\n# half an idea\n' >> backend/couriers/tasks.py; git stash -q
printf '\nexport const formatKm = (m: number) => `${m / 1000} km`;\n' >> $w/src/utils/format.ts; printf '\n    # checked\n' >> backend/couriers/serializers.py; git add backend/couriers/serializers.py; printf '# notes\n' > docs/tracking-notes.md
printf 'DATABASE_URL=postgres://lumen:hunter2@db/lumen\nSECRET_KEY=abc123\n' > .env; printf 'SECRET_KEY=dj-local\n' > backend/.env.local
