#!/usr/bin/env bash
# Makes the repository that tail2.jsonl speaks of: tail2.sh DIR. It is the one of daily.jsonl.
set -euo pipefail
exec bash "$(dirname "$0")/daily.sh" "$1"
