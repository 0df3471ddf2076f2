#!/usr/bin/env bash
# Makes one encrypted file system of a machine's local NVMe disks, and keeps the kubelet's folder on it: what pods write is
# there then, and counted there. It runs as root, as a unit before the kubelet at every boot; running it again changes nothing.
#
#   local-disks.sh make    the array, at every boot
#   local-disks.sh keep    what the kubelet must find again after a boot, on the boot volume: once it has joined, and when
#                          the machine shuts down
#
# The key is random and never leaves memory, so everything is gone after a boot, by design: all is made anew then, and what
# `keep` kept is put back. A machine without such disks is left as it is. Disks with anything on them that is not from here
# are left alone. Where no array can be made, this fails, and the kubelet stays on the boot volume, which is encrypted too: it
# then reports the space that there is, and the scheduler sends no pod that needs more.
set -euo pipefail

readonly NAME="inference-stacks"
# Tests put a folder here.
readonly ROOT="${NODE_ROOT:-}"
readonly KUBELET="$ROOT/var/lib/kubelet"
readonly KEPT="$ROOT/var/lib/$NAME/kubelet"
readonly ARRAY="/dev/md/$NAME"
readonly MAPPED="/dev/mapper/$NAME"
# Of the boot that was, or of a node that is no more: pods' files, sockets, who had which device and CPU; and weights, which
# the boot volume has no room for.
readonly FORGOTTEN=(inference-stacks-weights pods plugins plugins_registry device-plugins pod-resources cpu_manager_state memory_manager_state
  dra_manager_state allocated_pods_state actuated_pods_state lost+found)

say() {
  echo "local-disks: $*"
}

fail() {
  say "$*: pods' files stay on the boot volume" >&2
  fall_back
  exit 1
}

# Where an earlier boot had an array, the boot volume lacks what the kubelet needs, unless it was used since.
fall_back() {
  if [[ -d "$KEPT" ]] && ! is_mounted; then
    mkdir -p "$KUBELET"
    cp --archive --no-clobber "$KEPT/." "$KUBELET/"
  fi
}

is_mounted() {
  [[ "$(findmnt --noheadings --output SOURCE --mountpoint "$KUBELET")" == "$MAPPED" ]]
}

local_disks() {
  lsblk --nodeps --noheadings --raw --paths --output NAME,TYPE | awk '$2 == "disk" && $1 ~ /\/nvme[0-9]+n[0-9]+$/ {print $1}'
}

is_in_use() {
  [[ -n "$(lsblk --noheadings --raw --output MOUNTPOINT "$1" | tr -d '[:space:]')" ]]
}

# Whether a disk has something on it that is not from here: any signature but that of our array, or of our encryption.
is_foreign() {
  local signatures
  signatures="$(wipefs --no-act --parsable "$1")" || return 0
  awk -F, -v name="$NAME" '
    /^#/ || /^$/ { next }
    $4 == "linux_raid_member" && $3 ~ ("(^|:)" name "$") { next }
    $4 == "crypto_LUKS" && $3 == name { next }
    { found = 1 }
    END { exit !found }' <<<"$signatures"
}

# What an earlier boot left open of a disk: the kernel finds arrays by itself.
release() {
  local array
  lsblk --noheadings --raw --paths --output NAME,TYPE "$@" | awk '$2 ~ /^raid/ {print $1}' | sort -u |
    while read -r array; do
      mdadm --quiet --stop "$array"
    done
}

# A passphrase of 64 random bytes needs no stretching. It goes through pipes alone: bash keeps other inputs in files.
encrypt() {
  local device="$1" key
  key="$(head --bytes=64 /dev/urandom | base64 --wrap=0)"
  printf %s "$key" | cryptsetup luksFormat --batch-mode --type luks2 --label "$NAME" --pbkdf pbkdf2 \
    --pbkdf-force-iterations 1000 --key-file - "$device" || return 1
  printf %s "$key" | cryptsetup open --type luks2 --key-file - "$device" "$NAME"
}

make_device() {
  local disks=("$@")
  release "${disks[@]}" || fail "an array of an earlier boot does not stop"
  # Signatures of ours; others are not among these disks.
  wipefs --quiet --all "${disks[@]}" || fail "the disks ${disks[*]} cannot be written"
  if ((${#disks[@]} > 1)); then
    mdadm --quiet --create "$ARRAY" --run --homehost=any --name="$NAME" --metadata=1.2 --level=0 \
      --raid-devices="${#disks[@]}" "${disks[@]}" || fail "no array of ${disks[*]} can be made"
  fi
}

# The kubelet's own files, from the boot volume. Its certificate changes while it runs: that folder stays there.
put_back() {
  mkdir -p "$KEPT/pki" "$KUBELET/pki" || return 1
  cp --archive "$KEPT/." "$KUBELET/" || return 1
  mount --bind "$KEPT/pki" "$KUBELET/pki" || return 1
  if command -v restorecon >/dev/null; then
    restorecon -R "$KUBELET" || say "the labels of SELinux stay as they are"
  fi
}

make() {
  local disks=() free=() disk tool device
  if is_mounted; then
    say "$KUBELET is on the local disks already"
    return
  fi
  mapfile -t disks < <(local_disks)
  if ((${#disks[@]} == 0)); then
    say "this machine has no local disks"
    fall_back
    return
  fi
  if systemctl is-active --quiet kubelet.service; then
    fail "the kubelet runs already"
  fi
  for tool in cryptsetup mdadm mkfs.ext4 wipefs; do
    command -v "$tool" >/dev/null || fail "the image has no $tool"
  done
  # Volumes of pods: what they hold is not the machine's to remove.
  if grep -q " $KUBELET/" "$ROOT/proc/self/mounts"; then
    fail "volumes are mounted in $KUBELET"
  fi
  if [[ -e "$ROOT$MAPPED" ]]; then
    cryptsetup close "$NAME" || fail "what an earlier run opened does not close"
  fi
  for disk in "${disks[@]}"; do
    if is_in_use "$disk"; then
      say "$disk is in use: it is left alone"
    elif is_foreign "$disk"; then
      say "$disk has something on it that is not from here: it is left alone. Wipe it by hand (wipefs --all $disk) to have it used" >&2
    else
      free+=("$disk")
    fi
  done
  ((${#free[@]} > 0)) || fail "none of ${#disks[@]} local disks is free"

  make_device "${free[@]}"
  device="${free[0]}"
  if ((${#free[@]} > 1)); then
    device="$ARRAY"
  fi
  encrypt "$device" || fail "$device cannot be encrypted"
  # No journal: after a crash nobody can read it.
  mkfs.ext4 -q -F -m 0 -L "$NAME" -O ^has_journal -E nodiscard,lazy_itable_init=1 "$MAPPED" ||
    fail "no file system can be made on $MAPPED"
  # What the image, or an earlier boot without an array, has there: it would be under the mount, and older at every boot.
  keep
  find "$KUBELET" -mindepth 1 -maxdepth 1 -exec rm -rf --one-file-system {} +
  mount -o noatime "$MAPPED" "$KUBELET" || fail "$MAPPED cannot be mounted"
  if ! put_back; then
    umount --recursive "$KUBELET" || true
    fail "what the kubelet keeps cannot be put back"
  fi
  say "pods' files are on ${#free[@]} of ${#disks[@]} local disks"
}

keep() {
  local entry name
  mkdir -p "$KUBELET" "$(dirname "$KEPT")"
  install --directory --mode=0750 "$KEPT"
  for entry in "$KUBELET"/* "$KUBELET"/.[!.]*; do
    name="${entry##*/}"
    # The folder of certificates is the kept one, where the array is mounted.
    if [[ ! -e "$entry" || " ${FORGOTTEN[*]} " == *" $name "* ]] || { [[ "$name" == pki ]] && is_mounted; }; then
      continue
    fi
    rm -rf "${KEPT:?}/$name"
    cp --archive "$entry" "$KEPT/$name"
  done
}

case "${1:-}" in
  make) make ;;
  keep) if is_mounted; then keep; fi ;;
  *)
    say "usage: local-disks.sh make | keep" >&2
    exit 1
    ;;
esac
