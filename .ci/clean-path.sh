#!/bin/sh
# Links into FOLDER all that `npm ci`, `npm start` and `npm test` may need: Node, npm, git, sh, the utilities of POSIX, and
# mktemp, which every Linux and macOS machine has too. With PATH=FOLDER a test that calls anything else fails.
#
#   sh .ci/clean-path.sh FOLDER && PATH=FOLDER npm test
set -eu

folder=$1
mkdir -p "$folder"
# The user utilities of POSIX.1-2017, without make and the other tools of developers, and without what needs a terminal or a printer.
for name in \
  node npm git mktemp \
  '[' awk basename bc cat chgrp chmod chown cksum cmp comm cp cut date dd df diff dirname du echo ed env expand expr \
  false file find fold getconf grep head iconv id join kill link ln locale logger logname ls mkdir mkfifo mv nice nl \
  nohup od paste pathchk pr printf ps pwd rm rmdir sed sh sleep sort split strings stty tail tee test touch tr true \
  tsort tty uname unexpand uniq unlink wc who xargs; do
  # Not `command -v`: it answers with the shell's own echo, test and printf.
  found=
  IFS=:
  for path in $PATH; do
    if [ -z "$found" ] && [ -x "$path/$name" ]; then
      found=$path/$name
    fi
  done
  unset IFS
  # Minimal machines lack some: then no test may need them either.
  [ -z "$found" ] || ln -sf "$found" "$folder/$name"
done
