#!/bin/sh
# Links into FOLDER all that the README's commands may need: Node, npm, sh and utilities that every Linux and macOS machine
# has. With PATH=FOLDER a test that starts anything else fails. A utility that a test needs besides is added here, if it is one of
# POSIX; mktemp is on both systems without being one.
#
#   sh .ci/clean-path.sh FOLDER && PATH=FOLDER npm test
set -euf

folder=$1
mkdir -p "$folder"
status=0
for name in node npm sh awk cat grep ls mkdir mktemp rm sleep; do
  found=
  IFS=:
  for path in $PATH; do
    case $path in
      /*) [ -n "$found" ] || [ ! -f "$path/$name" ] || [ ! -x "$path/$name" ] || found=$path/$name ;;
    esac
  done
  unset IFS
  if [ -n "$found" ]; then
    ln -sf "$found" "$folder/$name"
  else
    echo "$name is not on the PATH" >&2
    status=1
  fi
done
exit "$status"
