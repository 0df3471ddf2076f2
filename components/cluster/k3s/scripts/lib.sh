#!/bin/sh
# What every script of this folder shares. POSIX sh; values come on standard input, never in arguments.
# "run SCRIPT VERB" reads them and calls main VERB.
set -eu
umask 077

say() {
  printf '%s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

# Reads "value NAME base64", "file MODE PATH base64" and "end" from standard input. Values become variables of that
# name; files are kept for write_files.
read_input() {
  FILES=
  complete=
  while read -r kind first second third; do
    case $kind in
      value)
        decoded=$(printf '%s' "${second:-}" | base64 -d)
        eval "$first=\$decoded"
        ;;
      file)
        FILES="$FILES$first $second ${third:-}
"
        ;;
      end)
        complete=yes
        break
        ;;
    esac
  done
  [ -n "$complete" ] || fail "the connection broke before everything was here: nothing was done; run it again"
}

run() {
  verb=$2
  read_input
  main "$verb" </dev/null
}
