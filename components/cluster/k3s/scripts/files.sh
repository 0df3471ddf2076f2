#!/bin/sh
# Files that set k3s up. What others had at such a place is kept, and put back when the file goes.

write_files() {
  printf '%s' "$FILES" | cut -d ' ' -f 2 >"$STATE/wanted"
  cp "$STATE/files" "$STATE/listed"
  while read -r path; do
    grep -qxF -e "$path" "$STATE/wanted" || take_back "$path"
  done <"$STATE/listed"
  rm "$STATE/wanted" "$STATE/listed"
  printf '%s' "$FILES" | while read -r mode path content; do
    write_file "$mode" "$path" "$content"
  done
}

# write_file MODE PATH BASE64
write_file() {
  make_folder "$(dirname "$2")"
  if ! grep -qxF -e "$2" "$STATE/files"; then
    keep_before "$2"
    remember files "$2"
  fi
  written=$(beside "$2")
  printf '%s' "$3" | base64 -d >"$written"
  chmod "$1" "$written"
  if [ -f "$2" ] && [ "$(about "$2")" = "$(about "$written")" ]; then
    rm "$written"
    return
  fi
  changing
  say "writing $2"
  mv "$written" "$2"
}

# Where a file is made before it takes its place: no program reads one of such a name.
beside() {
  printf '%s/.%s.inference-stacks' "$(dirname "$1")" "$(basename "$1")"
}

# Mode, owner and sum.
about() {
  printf '%s %s' "$(stat -c '%a %u %g' "$1")" "$(sha256 "$1")"
}

# Folders above a file. Those below the server's hold keys.
make_folder() {
  [ ! -d "$1" ] || return 0
  make_folder "$(dirname "$1")"
  remember folders "$1"
  case $1/ in
    "$K3S_DATA"/server/*) mkdir -m 0700 "$1" ;;
    *) mkdir -m 0755 "$1" ;;
  esac
}

keep_before() {
  [ -e "$1" ] || return 0
  mkdir -p "$STATE/before$(dirname "$1")"
  cp -p "$1" "$STATE/before.new"
  mv "$STATE/before.new" "$STATE/before$1"
  say "$1 was there before: it is kept in $STATE/before, and put back when k3s goes"
}

# The file goes, and what was there before comes back.
take_back() {
  rm -f "$(beside "$1")"
  if [ -e "$STATE/before$1" ]; then
    (umask 022 && mkdir -p "$(dirname "$1")")
    cp -p "$STATE/before$1" "$(beside "$1")"
    mv "$(beside "$1")" "$1"
  else
    rm -f "$1"
  fi
  changing
  forget files "$1"
}

# Settings of the kernel and of the log-in service count before k3s starts; its kubelet ends without them.
load_settings() {
  { grep '^/etc/sysctl\.d/' "$STATE/files" || true; } | while read -r settings; do
    sed -n 's/^ *\([A-Za-z0-9_.-]*\) *=.*/\1/p' "$settings" | while read -r key; do
      grep -q "^$key=" "$STATE/sysctl" || remember sysctl "$key=$(sysctl -n "$key")"
    done
    sysctl -q -p "$settings" >&2 ||
      fail "the kernel does not take the settings in $settings, without which the kubelet does not start: in a container, set them on the machine around it"
  done
  reload_logind
}

# It reads its settings anew, and nobody is logged out.
reload_logind() {
  ! systemctl is-active --quiet systemd-logind || systemctl kill -s HUP systemd-logind || true
}

unload_settings() {
  while IFS='=' read -r key value; do
    sysctl -q -w "$key=$value" >&2 || say "$key stays as it is until the next boot"
  done <"$STATE/sysctl"
}
