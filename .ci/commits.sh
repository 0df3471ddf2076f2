#!/usr/bin/env sh
# Subjects of the commits made with the rule in their history; older ones, and branches without it, are not judged.
# A shallow clone has none to check.
set -eu
since=$(git log -n 1 --format=%H -- commitlint.config.mjs)
if [ -z "$since" ]; then
  echo "commitlint.config.mjs is not committed yet: no subjects to check"
  exit 0
fi
npx commitlint --from "$since" --to HEAD --git-log-args="--ancestry-path"
