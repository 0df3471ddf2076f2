#!/bin/sh
# Looks at a machine and writes nothing. Prints what it found as one line of JSON; ends with 1 and every problem otherwise.
main() {
  problems=
  machine=$(uname -m)
  [ "$machine" = "$MACHINE" ] || problem "it is $machine, the plan is made for $MACHINE" "set pools.<name>.node.cpuArch"
  [ -z "$problems" ] || fail "$HOST is not ready; nothing was written on it:
$problems"
  printf '{"machine":"%s","deviceGroups":[%s]}\n' "$machine" "$(device_groups)"
}

problem() {
  problems="$problems- $1: $2
"
}

device_groups() {
  [ -e /dev/kfd ] || return 0
  stat -c %g /dev/kfd | grep -v '^0$' || true
}
