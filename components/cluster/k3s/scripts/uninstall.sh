#!/bin/sh
# Takes k3s away, and everything else that install made. Each step looks first, so that it may be killed at any of them.

uninstall_k3s() {
  lock
  rm -rf "$STATE.new" "$STATE.gone"
  if [ ! -d "$STATE" ]; then
    say "nothing was installed on $NODE from here: nothing is removed"
    [ -z "$(traces_of_k3s)" ] || say "the k3s that is there is another one, and stays"
    leave
    return
  fi
  owner=$(cat "$STATE/owner")
  if [ "$owner" != "$ENVIRONMENT" ]; then
    say "$NODE is the node of the environment $owner by now: nothing is removed"
    return
  fi
  say "removing k3s from $NODE"
  changing
  remove_k3s
  take_back_files
  unload_settings
  remove_folders
  rm -rf "$KEPT/downloads" "$RUNTIME/kubectl"
  mv "$STATE" "$STATE.gone"
  rm -rf "$STATE.gone"
  leave
}

# Its own script stops pods and takes networks and mounts away; what it leaves, or where it is not there yet, is below.
remove_k3s() {
  packages=$(selinux_package)
  if [ -s "$K3S-uninstall.sh" ]; then
    sh "$K3S-uninstall.sh" >"$STATE/uninstall.log" 2>&1 || true
  elif [ -s "$K3S-killall.sh" ]; then
    sh "$K3S-killall.sh" >"$STATE/uninstall.log" 2>&1 || true
  fi
  if [ -e "$UNIT" ]; then
    systemctl disable --now k3s >/dev/null 2>&1 || true
    rm -f "$UNIT"
    systemctl daemon-reload
  fi
  rm -f "$UNIT.env" /etc/systemd/system/multi-user.target.wants/k3s.service
  for program in kubectl crictl ctr; do
    [ "$(readlink "/usr/local/bin/$program")" != k3s ] || rm "/usr/local/bin/$program"
  done
  rm -f "$K3S" "$(beside "$K3S")" "$K3S-killall.sh" "$K3S-uninstall.sh"
  [ -z "$packages" ] || [ -n "$(selinux_package)" ] ||
    say "k3s-uninstall.sh has removed the package k3s-selinux too, which was there before: install it again where something else needs it"
}

selinux_package() {
  ! command -v rpm >/dev/null || rpm -q k3s-selinux 2>/dev/null || true
}

take_back_files() {
  cp "$STATE/files" "$STATE/listed"
  while read -r path; do
    take_back "$path"
  done <"$STATE/listed"
  rm "$STATE/listed"
  reload_logind
}

# A folder of k3s that was there before stays, empty if it was that of its data.
remove_folders() {
  mounted=$(cut -d ' ' -f 2 /proc/self/mounts | grep -E "^($K3S_DATA|/var/lib/kubelet|/run/k3s)/" || true)
  [ -z "$mounted" ] ||
    fail "k3s still has mounts on $NODE, and nothing below them is removed: restart the machine, then run it again. They are:
$mounted"
  while read -r folder; do
    rm -rf "$folder"
  done <"$STATE/absent"
  [ ! -d "$K3S_DATA" ] || find "$K3S_DATA" -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} +
  sort -r "$STATE/folders" | while read -r folder; do
    rmdir "$folder" 2>/dev/null || true
  done
}

# What may stay is told; the rest is gone.
leave() {
  rm -rf "$RUNTIME"
  rmdir "$KEPT/backups" "$KEPT" "$ETC" 2>/dev/null || true
  [ ! -d "$KEPT/backups" ] || say "copies of the datastore stay on $NODE, with the keys to its Secrets; remove them with rm -r $KEPT/backups:
$(ls -l "$KEPT/backups")"
}
