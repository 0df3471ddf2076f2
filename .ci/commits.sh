#!/usr/bin/env sh
# Subjects of the commits since the rule exists; older ones are history. A shallow clone has none to check.
set -eu
since=$(git log --diff-filter=A --format=%H -- commitlint.config.mjs | tail -n 1)
if [ -z "$since" ]; then
  echo "commitlint.config.mjs is not committed yet: no subjects to check"
  exit 0
fi
npx commitlint --from "$since" --to HEAD
