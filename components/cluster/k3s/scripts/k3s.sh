#!/bin/sh
# install: k3s of one release, by checksum, with its settings; what is there already is left alone, and a run that was
# killed is taken up where it was.
# uninstall: everything that install made goes, and what was there before comes back; copies of the datastore stay.
main() {
  NODE_LIMIT=600
  # Archives of images are unpacked before the node is ready.
  [ -z "$BUNDLE" ] || NODE_LIMIT=3600
  case $1 in
    install) install_k3s ;;
    uninstall) uninstall_k3s ;;
  esac
}

install_k3s() {
  refuse
  lock
  # Another environment may have taken the machine while this run waited.
  refuse
  claim
  write_files
  # The API server's log; it makes no folder for it.
  make_folder "$K3S_DATA/server/logs"
  install_binary
  run_installer
  install_images
  start_k3s
  label_node
  check_encryption
  rm -rf "$KEPT/downloads"
  rmdir "$KEPT" 2>/dev/null || true
  authority=$(sha256 "$K3S_DATA/server/tls/server-ca.crt")
  kubeconfig=$(sha256 /etc/rancher/k3s/k3s.yaml)
  printf '{"version":"%s","authority":"%s","kubeconfig":"%s"}\n' "$VERSION" "$authority" "$kubeconfig"
}

refuse() {
  refused=$(foreign_k3s)
  [ -n "$refused" ] || refused=$(refused_release)
  [ -z "$refused" ] || fail "$NODE was left alone: $refused"
}

install_binary() {
  ! has_sum "$K3S" "$BINARY_SHA256" || return 0
  fetch "$BINARY_FILE" "$BINARY_URL" "$BINARY_SHA256"
  changing
  there=$(installed_release)
  [ -z "$there" ] || [ "$there" = "$VERSION" ] || back_up "$there"
  cp "$DOWNLOADED" "$(beside "$K3S")"
  chmod 0755 "$(beside "$K3S")"
  mv "$(beside "$K3S")" "$K3S"
}

# A newer release changes the datastore, and no older one reads it then. Pods go on while k3s stands still.
back_up() {
  say "k3s $1 becomes $VERSION: copying its datastore first"
  systemctl stop k3s
  [ -d "$K3S_DATA/server" ] || return 0
  mkdir -p "$KEPT/backups"
  saved="$KEPT/backups/k3s-$1-before-$VERSION.tar"
  # Everything of the server but what it has written down for others, and programs that it unpacks anew.
  (cd "$K3S_DATA" && tar -cf "$saved.new" --exclude server/logs --exclude server/static server)
  mv "$saved.new" "$saved"
  say "the datastore as it was is in $saved on the machine"
}

# Writes the unit and the scripts that stop and remove k3s. It starts nothing.
run_installer() {
  if [ -f "$STATE/installer" ] && [ "$(cat "$STATE/installer")" = "$INSTALLER_SHA256" ] && [ -s "$UNIT" ] &&
    [ -s "$K3S-uninstall.sh" ] && [ -s "$K3S-killall.sh" ] && systemctl is-enabled --quiet k3s; then
    return
  fi
  fetch install.sh "$INSTALLER_URL" "$INSTALLER_SHA256"
  changing
  rm -f "$STATE/installer"
  say "running the installer of k3s $VERSION"
  # Nothing of this session's environment gets into the unit's.
  env -i PATH="$PATH" HOME=/root INSTALL_K3S_SKIP_DOWNLOAD=true INSTALL_K3S_SKIP_START=true \
    INSTALL_K3S_BIN_DIR=/usr/local/bin INSTALL_K3S_EXEC=server sh "$DOWNLOADED" >&2
  printf '%s\n' "$INSTALLER_SHA256" | write_list installer
}

start_k3s() {
  if [ -e "$STATE/started" ] && systemctl is-active --quiet k3s; then
    return
  fi
  load_settings
  say "starting k3s, and waiting for the node $NODE"
  waited=0
  before=$(restarts)
  # Without waiting: the loop below tells how it goes, and ends when it goes nowhere.
  systemctl restart --no-block k3s 9>&- || fail_with_log "k3s cannot be started"
  # Until then systemd may still call the k3s that ends active.
  sleep 1
  until is_ready; do
    [ $(($(restarts) - before)) -lt 5 ] || fail_with_log "k3s ends again and again"
    [ "$waited" -lt "$NODE_LIMIT" ] || fail_with_log "the node $NODE is not ready after $((NODE_LIMIT / 60)) minutes"
    sleep 2
    waited=$((waited + 2))
    [ $((waited % 30)) -ne 0 ] || say "the node $NODE is not ready after $waited seconds"
  done
  : >"$STATE/started"
}

# How often systemd has started k3s again by itself.
restarts() {
  count=$(systemctl show --property NRestarts --value k3s 2>/dev/null || true)
  printf '%s' "${count:-0}"
}

is_ready() {
  systemctl is-active --quiet k3s || return 1
  condition='{range .status.conditions[?(@.type=="Ready")]}{.status}{end}'
  [ "$(kubectl_k3s get node "$NODE" --output "jsonpath=$condition" 2>/dev/null)" = True ]
}

fail_with_log() {
  say "$1. The last that k3s said:"
  journalctl --unit k3s --lines 25 --no-pager --output cat >&2 || say "(journalctl does not tell)"
  fail "Mend what it names, then run it again: it goes on from here. All of it, on the machine: journalctl -u k3s"
}

# The settings of k3s count when a node comes for the first time; afterwards labels are set, and taken away, here.
label_node() {
  wanted=
  for label in $LABELS; do
    wanted="$wanted${label%%=*}
"
  done
  gone=
  while read -r key; do
    printf '%s' "$wanted" | grep -qxF -e "$key" || gone="$gone $key-"
  done <"$STATE/labels"
  printf '%s' "$wanted" | while read -r key; do
    remember labels "$key"
  done
  # Words of their own, each a label.
  # shellcheck disable=SC2086
  set -- $LABELS $gone
  [ $# -eq 0 ] || kubectl_k3s label node "$NODE" --overwrite "$@" >/dev/null
  printf '%s' "$wanted" | write_list labels
}

# Asked of k3s itself: a setting that came after its first start does nothing for Secrets that are there.
check_encryption() {
  status=$("$K3S" secrets-encrypt status 2>&1) || fail_with_log "k3s does not say whether it encrypts Secrets: $status"
  printf '%s\n' "$status" | grep -q '^Encryption Status: Enabled' ||
    fail "k3s keeps Secrets in clear on $NODE, for it was started once without secrets-encryption. Install it anew: pulumi destroy, which deletes its data, then pulumi up"
}
