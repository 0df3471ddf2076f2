#!/bin/sh
# Whether what k3s keeps is encrypted on the disk: volumes, the datastore with Secrets, images.

check_disk_encryption() {
  data=$(existing_above "$K3S_DATA")
  remedy="Encrypt it (LUKS, when the system is installed; or an encrypted disk mounted at /var/lib/rancher). A disk that encrypts by itself cannot be seen from here"
  if ! has findmnt; then
    risk "whether the disk under $data is encrypted cannot be told without findmnt" "Install util-linux"
    return
  fi
  source=$(findmnt --noheadings --output SOURCE --target "$data" | sed 's/\[.*//' | tail -n 1)
  type=$(findmnt --noheadings --output FSTYPE --target "$data" | tail -n 1)
  if [ "$type" = zfs ]; then
    encryption=$(zfs get -H -o value encryption "$source" 2>/dev/null || true)
    case $encryption in
      "" | -) risk "whether the ZFS dataset $source under $data is encrypted cannot be told" "$remedy" ;;
      off) risk "the ZFS dataset $source under $data is not encrypted" "$remedy" ;;
    esac
    return
  fi
  device=$(basename "$(readlink -f "$source" 2>/dev/null || printf '%s' "$source")")
  if [ ! -e "/sys/class/block/$device" ]; then
    risk "whether $source ($type) under $data is encrypted cannot be told" "$remedy"
  elif ! is_encrypted "$device"; then
    risk "the disk under $data ($source) is not encrypted" "$remedy"
  fi
}

# A device that dm-crypt opened, or one that is made of such devices only: volumes and arrays lie on others.
# dm-verity and dm-integrity have names like it, and hide nothing.
is_encrypted() {
  case $(cat "/sys/class/block/$1/dm/uuid" 2>/dev/null || true) in
    CRYPT-VERITY-* | CRYPT-INTEGRITY-*) ;;
    CRYPT-*) return 0 ;;
  esac
  below=$(ls "/sys/class/block/$1/slaves" 2>/dev/null || true)
  [ -n "$below" ] || return 1
  for slave in $below; do
    (is_encrypted "$slave") || return 1
  done
}
