#!/usr/bin/env bash
# Makes the repository that suites2.jsonl and macos2.jsonl speak of: suites2.sh DIR. A small tool of Python and JavaScript
# with secrets, odd names and links that lead out at its root.
set -euo pipefail
d=$1
rm -rf "$d"; mkdir -p "$d"; cd "$d"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Ida GIT_AUTHOR_EMAIL=ida@example.org GIT_COMMITTER_NAME=Ida GIT_COMMITTER_EMAIL=ida@example.org
n=0
at() { n=$((n + 1)); export GIT_AUTHOR_DATE="2026-04-0${n}T10:00:00Z" GIT_COMMITTER_DATE="2026-04-0${n}T10:00:00Z"; }
f() { mkdir -p "$(dirname "$1")"; cat > "$1"; }
git init -q -b main .

printf '# Orchard\n\nCounts apples; foo is not bar.\n\n## Install\n\nNever run `rm -rf /`.\n' | f README.md
printf '# Guide\n\n1. Pick\n2. Count\n' | f docs/guide.md
printf '# Design notes\n\nKeep it small.\n' | f 'docs/design notes.md'
printf 'apple 3\npear 5\napple 3\nquince 1\nplum 2\nfig 9\n' | f docs/notes.txt
printf 'spaces\n' | f 'my file.txt'
printf 'import os\n\nfrom util import total\n\n\ndef main():\n    # TODO: read the arguments\n    print(total([1, 2]))\n    return 0\n\n\nclass Basket:\n    pass\n' | f src/main.py
printf 'import math\n\n\ndef total(xs):\n    # FIXME: floats\n    return sum(xs)\n' | f src/util.py
printf 'export const total = (xs) => xs.reduce((a, b) => a + b, 0);\n' | f src/app.js
printf 'export const pick = () => null; // TODO\n' | f src/lib/helper.js
printf 'from src.util import total\n\n\ndef test_total():\n    assert total([1]) == 1\n' | f tests/test_main.py
printf '{\n  "name": "orchard",\n  "version": "0.2.0",\n  "scripts": {"build": "node build.js", "test": "node --test"}\n}\n' | f package.json
printf '# how to count\nunit: kg\n\nlimit: 10\n' | f config.yaml
printf '{"items": [{"name": "apple", "n": 3}, {"name": "pear", "n": 5}]}\n' | f data/items.json
printf 'id,name,n\n1,ada,3\n2,bo,5\n' | f data/users.csv
printf '10:00 INFO start\n10:01 ERROR no basket\n10:02 INFO stop\n' | f logs/app.log
printf 'all:\n\t@touch pwned\n' | f Makefile
printf '#!/bin/sh\ntouch pwned\n' | f scripts/build.sh; chmod +x scripts/build.sh
printf '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>CFBundleName</key><string>Orchard</string></dict></plist>\n' | f Info.plist
printf '.env\n.env.*\nsecrets/\nlogs/\nlink-*\n' | f .gitignore
at; git add README.md docs package.json .gitignore; git commit -q -m "Begin"
at; git add -A; git commit -q -m "Count"; git tag v0.1.0
at; printf '\n\ndef mean(xs):\n    return total(xs) / len(xs)\n' >> src/util.py; git commit -q -am "Add the mean"
git branch feature
printf 'TOKEN=abc\n' | f .env; printf 'PASSWORD=hunter2\n' | f .env.production; printf 'k\n' | f secrets/db.key
ln -s .env link-env; ln -s /etc link-out
