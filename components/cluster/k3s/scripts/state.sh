#!/bin/sh
# What is remembered on the machine of what was done there: a run that was killed is taken up again by it, and everything
# is taken away again by it. It is there before anything else is written, and goes last.
#
#   owner      the environment whose node the machine is
#   node       the node's name
#   absent     folders of k3s that were not there before
#   folders    folders that were made for files
#   files      files that were written; what others had at such a place is in before/, by the same path
#   sysctl     settings of the kernel as they were
#   labels     keys of the node's labels that were set
#   installer  sum of the installer that ran to its end
#   started    there while k3s runs with all that is written

# One run at a time: the program of a connection that broke may still be at work.
lock() {
  (umask 022 && mkdir -p "$RUNTIME")
  exec 9>"$RUNTIME/lock"
  flock -n 9 && return
  say "another run is at work on this machine: waiting for it"
  flock -w 900 9 ||
    fail "another run has been at work on this machine for more than 15 minutes; look for it with: fuser -v $RUNTIME/lock"
}

# Takes the machine, all at once or not at all.
claim() {
  # Of runs that were killed.
  rm -rf "$STATE.new" "$STATE.gone" "$STATE"/*.new "$STATE/uninstall.log"
  [ ! -d "$STATE" ] || return 0
  (umask 022 && mkdir -p "$ETC")
  mkdir "$STATE.new" "$STATE.new/before"
  printf '%s\n' "$ENVIRONMENT" >"$STATE.new/owner"
  printf '%s\n' "$NODE" >"$STATE.new/node"
  for folder in $K3S_FOLDERS; do
    [ -e "$folder" ] || printf '%s\n' "$folder"
  done >"$STATE.new/absent"
  for list in folders files sysctl labels; do
    : >"$STATE.new/$list"
  done
  mv "$STATE.new" "$STATE"
}

# A list of the state gets its standard input, all at once or not at all.
write_list() {
  cat >"$STATE/$1.new"
  mv "$STATE/$1.new" "$STATE/$1"
}

# Adds a line to a list of the state, unless it is there. Sorted: whatever was taken up where, the list is the same.
remember() {
  ! grep -qxF -e "$2" "$STATE/$1" || return 0
  { cat "$STATE/$1" && printf '%s\n' "$2"; } | sort | write_list "$1"
}

forget() {
  { grep -vxF -e "$2" "$STATE/$1" || true; } | write_list "$1"
}

# Before anything changes that k3s reads at a start only.
changing() {
  rm -f "$STATE/started"
}
