#!/bin/sh
# Looks at a machine and writes nothing. Prints what it found as one line of JSON; ends with 1 and every problem otherwise.
# What cannot be looked at is never called fine: it is a problem in production, and told elsewhere.
# Other scripts read ours, and set machine.
# shellcheck disable=SC2034,SC2154
main() {
  problems=
  ours=
  [ ! -f "$STATE/owner" ] || ours=yes
  say "looking at $NODE"
  check_system
  check_resources
  check_disk_encryption
  check_network
  check_parts
  case $GPU_VENDOR in
    nvidia) check_nvidia ;;
    amd) check_amd ;;
  esac
  [ -z "$problems" ] || fail "$NODE is not ready, and nothing was written on it:$problems"
  groups=$(device_groups)
  printf '{"machine":"%s","deviceGroups":[%s]}\n' "$machine" "$groups"
}

# problem WHAT REMEDY
problem() {
  found "$1. $2"
}

found() {
  problems="$problems
- $1"
}

# What is refused in production, and told elsewhere.
risk() {
  if [ -n "$PRODUCTION" ]; then
    problem "$@"
  else
    say "note: $1. $2"
  fi
}

note() {
  say "note: $1. $2"
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# is_version_at_least A B: numbers between dots, the first that differ decide.
is_version_at_least() {
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -t . -k 1,1n -k 2,2n -k 3,3n -k 4,4n | head -n 1)" = "$2" ]
}

check_parts() {
  if [ -n "$BUNDLE" ]; then
    check_bundle
  elif ! has_sum "$K3S" "$BINARY_SHA256"; then
    check_download
  fi
}

check_bundle() {
  if [ ! -f "$BUNDLE/bundle.json" ]; then
    problem "the bundle $BUNDLE is not on it, or not all of it" "Copy it there: $BUNDLE_COPY"
  elif [ -n "$BUNDLE_SHA256" ] && ! has_sum "$BUNDLE/bundle.json" "$BUNDLE_SHA256"; then
    problem "the bundle $BUNDLE on it is another one than here" "Copy this one there: $BUNDLE_COPY"
  fi
}

check_download() {
  if has curl; then
    curl --head --silent --fail --location --max-time 30 --output /dev/null "$BINARY_URL" && return
  elif has wget; then
    wget -q --spider -T 30 "$BINARY_URL" && return
  else
    problem "it has neither curl nor wget" "Install one of them, or bring everything along: npm run bundle, and cluster.k3s.bundle"
    return
  fi
  problem "it does not reach $BINARY_URL" "Let it, give it a proxy (https_proxy in /etc/environment), or bring everything along: npm run bundle, and cluster.k3s.bundle"
}
