#!/bin/sh
# Run by the user who logs in: reads the password (or an empty line), and gives the rest of the input to a shell of root.
# $0 is the script, $1 its verb. The password goes to sudo alone, one line, and sudo never reads a line of the script.
read -r password
if [ "$(id -u)" = 0 ]; then
  exec sh -s "$0" "$1"
fi
user=$(id -un)
if ! command -v sudo >/dev/null; then
  echo "$user is not root on this machine, and there is no sudo: install it, or set cluster.hosts.<name>.user to root" >&2
  exit 1
fi
# -k: what sudo remembers of an earlier password does not count.
if sudo -k -n true 2>/dev/null; then
  exec sudo -n sh -s "$0" "$1"
fi
if [ -z "$password" ]; then
  echo "sudo asks $user for a password on this machine: pulumi config set --secret inference-stacks:sshPassword, or let $user use sudo without one" >&2
  exit 1
fi
if ! printf '%s\n' "$password" | sudo -k -S -p '' true >/dev/null; then
  echo "sudo does not let $user become root with that password: pulumi config set --secret inference-stacks:sshPassword, or see what sudo says above" >&2
  exit 1
fi
{
  printf '%s\n' "$password"
  cat
} | sudo -k -S -p '' sh -s "$0" "$1"
