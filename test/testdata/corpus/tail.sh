#!/usr/bin/env bash
# Makes the repository that tail.jsonl speaks of: tail.sh DIR. It is the one of daily.jsonl.
set -euo pipefail
exec bash "$(dirname "$0")/daily.sh" "$1"
