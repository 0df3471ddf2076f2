#!/bin/sh
# Stands in for a container engine: volumes and containers are files below $LOCAL_TOOLS. Called as docker or podman.
set -eu
engine=${0##*/}
printf '%s %s\n' "$engine" "$*" >>"$LOCAL_TOOLS/log"
if [ -e "$LOCAL_TOOLS/$engine-stopped" ]; then
  echo "Cannot connect to the daemon at unix:///var/run/$engine.sock. Is it running?" >&2
  exit 1
fi
volumes=$LOCAL_TOOLS/volumes
mkdir -p "$volumes"
case "$*" in
  info) ;;
  "info --format "*) cat "$LOCAL_TOOLS/$engine-info" ;;
  --version) echo "Docker version 29.1.0, build 0" ;;
  "volume inspect --format "*)
    for name; do :; done
    if ! cat "$volumes/$name" 2>/dev/null; then
      echo "Error response from daemon: get $name: no such volume" >&2
      exit 1
    fi
    ;;
  "volume create --label "*) printf '%s\n' "${4#*=}" >"$volumes/$5" ;;
  "volume rm "*) rm "$volumes/$3" ;;
  "inspect --format "*) cat "$LOCAL_TOOLS/containers/$4" ;;
  "start "*) ;;
  *)
    echo "test/harness/local-tools/engine.sh does not know: $*" >&2
    exit 64
    ;;
esac
