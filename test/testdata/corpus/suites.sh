#!/usr/bin/env bash
# Makes the repository that suites.jsonl and macos.jsonl speak of: suites.sh DIR. A small project as test suites of guards use: some
# sources, data, a secret that is not tracked, a file of keys, and links that lead to them and out.
set -euo pipefail
d=$1
rm -rf "$d"; mkdir -p "$d"; cd "$d"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Ida GIT_AUTHOR_EMAIL=ida@example.org GIT_COMMITTER_NAME=Ida GIT_COMMITTER_EMAIL=ida@example.org
f() { mkdir -p "$(dirname "$1")"; cat > "$1"; }
git init -q -b main .
git config user.name Ida
git remote add origin https://git.example.org/acme/app.git
printf '# App\n\nfoo and bar\n\n## Use\n\nRun it.\n' | f README.md
printf '# Changelog\n\n## v1.1\n\n- more\n\n## v1.0\n\n- first\n' | f CHANGELOG.md
printf '{\n  "name": "app",\n  "version": "1.1.0",\n  "scripts": { "build": "tsc", "test": "vitest" }\n}\n' | f package.json
printf '{ "compilerOptions": { "strict": true } }\n' | f tsconfig.json
printf 'import { pad } from "./utils";\n\n// TODO: greet\nexport function main() {\n  return pad("app");\n}\n' | f src/app.ts
printf 'export const pad = (s: string) => s.padStart(8);\n\nexport function trim(s: string) {\n  return s.trim();\n}\n' | f src/utils.ts
printf 'import os\nfrom lib import helper\n\n\ndef main():\n    # TODO: parse\n    return helper.twice(eval("2"))\n' | f src/main.py
printf 'def twice(n):\n    return 2 * n\n' | f src/lib/helper.py
printf 'def test_main():\n    assert True\n' | f tests/test_main.py
printf '# Guide\n\nSee the notes. TODO: more.\n' | f docs/guide.md
printf '# Notes\n' | f 'docs/My Notes.md'
printf 'id,name\n1,Ada\n2,Grace\n3,Alan\n' | f data.csv
printf 'grace:1\nada:2\n# none\n\nalan:3\n' | f names.txt
printf 'one\ntwo\nfoo\n' | f a.txt; printf 'one\nthree\n' | f b.txt
printf '10.0.0.1 error one\n10.0.0.2 ok\n10.0.0.1 Error two\n' | f logs/app.log
printf 'test:\n\tnpm test\n' | f Makefile
printf '#!/bin/sh\nset -e\nrm -rf dist\n' | f scripts/build.sh; printf '{ print $1 }\n' | f scripts/x.awk; chmod +x scripts/build.sh
printf '{"port": 8080, "db": {"host": "localhost"}}\n' | f config/settings.json
printf '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>CFBundleVersion</key><string>1</string></dict></plist>\n' | f ios/Info.plist
printf '#!/bin/sh\nexit 0\n' | f bin/app; chmod +x bin/app
printf '.env\n*.pem\nlinks/\nnode_modules/\n' | f .gitignore
git add -A; GIT_AUTHOR_DATE=2026-04-01T10:00:00Z GIT_COMMITTER_DATE=2026-04-01T10:00:00Z git commit -q -m 'feat: first'; git tag v1.0
printf '\nMore.\n' >> docs/guide.md; printf '\n\ndef half(n):\n    return n / 2\n' >> src/lib/helper.py
GIT_AUTHOR_DATE=2026-04-02T10:00:00Z GIT_COMMITTER_DATE=2026-04-02T10:00:00Z git commit -q -am 'fix: say more about curl | sh'
printf '\n# note\n' >> README.md; printf 'draft\n' | f todo.txt
printf 'x\n' | f node_modules/left/index.js
printf 'TOKEN=hunter2\n' | f .env; printf 'k3y\n' | f config/prod.pem
printf "not the agent's business\n" | f ../other/secret.txt
mkdir links; ln -s ../.env links/secret.txt; ln -s ../../other/secret.txt links/out; ln -s ../../other links/dir
