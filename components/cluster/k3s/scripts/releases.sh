#!/bin/sh
# Which release of k3s is there, and whether the pinned one may follow it.

# v1.36.4+k3s1, or nothing.
installed_release() {
  [ ! -x "$K3S" ] || "$K3S" --version | sed -n 's/^k3s version \([^ ]*\).*/\1/p'
}

# release_part RELEASE N: its Nth number, from 1. v1.36.4+k3s1: 1, 36, 4, 1.
release_part() {
  printf '%s\n' "$1" | sed 's/^v//; s/+k3s/./; s/[^0-9.].*$//' | cut -d . -f "$2"
}

# Why the pinned release must not follow the one that is there, and what mends it; nothing where it may. Kubernetes
# supports neither a step back nor one over a minor version.
refused_release() {
  there=$(installed_release)
  if [ -z "$there" ] || [ "$there" = "$VERSION" ]; then
    return
  fi
  if is_older "$VERSION" "$there"; then
    echo "its k3s is $there, newer than the pinned $VERSION, and no k3s reads the data of a newer one: use a release of this program that pins $there or later"
  elif [ "$(release_part "$VERSION" 2)" -gt $(($(release_part "$there" 2) + 1)) ]; then
    echo "its k3s is $there, and the pinned $VERSION is more than one minor version later: go by the releases of this program between them, or start anew (pulumi destroy, which deletes the data)"
  fi
}

# is_older A B
is_older() {
  for number in 1 2 3 4; do
    a=$(release_part "$1" "$number")
    b=$(release_part "$2" "$number")
    if [ "${a:-0}" -ne "${b:-0}" ]; then
      [ "${a:-0}" -lt "${b:-0}" ]
      return
    fi
  done
  return 1
}
