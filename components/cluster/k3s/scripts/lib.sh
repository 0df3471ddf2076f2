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
# name; files are kept in FILES, one a line: mode, path and base64.
read_input() {
  FILES=
  complete=
  while read -r kind first second third; do
    case $kind in
      value) eval "$first=\$(printf '%s' \"\$second\" | base64 -d)" ;;
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

sha256() {
  sha256sum <"$1" | cut -d ' ' -f 1
}

# Whether a file is there and has that sum.
has_sum() {
  [ -f "$1" ] && [ "$(sha256 "$1")" = "$2" ]
}

# kubectl of k3s, as its administrator. What it remembers of the API stays out of root's home.
kubectl_k3s() {
  KUBECACHEDIR="$RUNTIME/kubectl" /usr/local/bin/k3s kubectl --kubeconfig /etc/rancher/k3s/k3s.yaml "$@"
}
