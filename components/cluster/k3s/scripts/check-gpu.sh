#!/bin/sh
# Drivers and cards. They come before k3s, which looks for the container runtime of NVIDIA when it starts.

check_nvidia() {
  wanted="the driver"
  [ -z "$MINIMUM_DRIVER" ] || wanted="a driver of $MINIMUM_DRIVER or newer ($MINIMUM_DRIVER_BECAUSE)"
  if ! has nvidia-smi; then
    problem "it has no driver for NVIDIA cards" "Install $wanted from the distribution or NVIDIA, and restart the machine"
  elif ! cards=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader,nounits 2>&1); then
    problem "its NVIDIA driver does not answer: $(printf '%s' "$cards" | head -n 1)" "Restart the machine; if it stays so, the driver is not for this kernel, or Secure Boot refuses it: install $wanted anew"
  else
    check_nvidia_cards
  fi
  has nvidia-container-runtime || [ -x /usr/local/nvidia/toolkit/nvidia-container-runtime ] ||
    problem "it has no nvidia-container-runtime, so that no container gets a card" "Install the package nvidia-container-toolkit of NVIDIA's repository; k3s finds it when it starts"
}

check_nvidia_cards() {
  driver=$(printf '%s\n' "$cards" | head -n 1 | cut -d , -f 2 | tr -d ' ')
  [ -z "$MINIMUM_DRIVER" ] || is_version_at_least "$driver" "$MINIMUM_DRIVER" ||
    problem "its NVIDIA driver is $driver" "Install $wanted"
  planned=0
  others=
  while IFS=, read -r name _ memory; do
    if is_planned_nvidia "$name" "$(printf '%s' "$memory" | tr -d ' ')"; then
      planned=$((planned + 1))
    else
      others="$others$name, "
    fi
  done <<CARDS
$cards
CARDS
  tell_cards
}

is_planned_nvidia() {
  [ -z "$GPU_NAMES" ] || printf '%s\n' "$GPU_NAMES" | grep -qixF -e "$1" || return 1
  # Of the card's memory the driver keeps a little.
  case $2 in
    "" | *[!0-9]*) return 0 ;;
  esac
  difference=$(($2 - GPU_MEMORY_GIB * 1024))
  [ "${difference#-}" -le $((GPU_MEMORY_GIB * 1024 / 50)) ]
}

check_amd() {
  if [ ! -e /dev/kfd ]; then
    problem "it has no driver for AMD cards: /dev/kfd is not there" "Load the kernel's amdgpu (modprobe amdgpu), or install AMD's amdgpu-dkms, and restart the machine"
    return
  fi
  if [ -n "$MINIMUM_DRIVER" ] && [ -r /sys/module/amdgpu/version ]; then
    driver=$(cat /sys/module/amdgpu/version)
    is_version_at_least "$driver" "$MINIMUM_DRIVER" ||
      problem "its amdgpu driver is $driver" "Install $MINIMUM_DRIVER or newer ($MINIMUM_DRIVER_BECAUSE)"
  fi
  planned=0
  others=
  # A processor is a node of that list too, of version 0.
  for properties in /sys/class/kfd/kfd/topology/nodes/*/properties; do
    target=$(sed -n 's/^gfx_target_version //p' "$properties" 2>/dev/null || true)
    if [ -z "$target" ] || [ "$target" = 0 ]; then
      continue
    elif [ -z "$GPU_GFX_VERSION" ] || [ "$target" = "$GPU_GFX_VERSION" ]; then
      planned=$((planned + 1))
    else
      others="$others$(gfx_name "$target"), "
    fi
  done
  tell_cards
  [ -n "$(device_groups)" ] || note "anybody on it may open its cards" "udev's usual rules let the group render alone"
}

# gfx_target_version 90010 is gfx90a: major, minor and stepping, the last two in hexadecimal.
gfx_name() {
  printf 'gfx%d%x%x' $(($1 / 10000)) $(($1 / 100 % 100)) $(($1 % 100))
}

# Cards beside the planned ones do no harm where there are enough of these. CARDS is told: those that work.
# shellcheck disable=SC2153
tell_cards() {
  [ "$planned" -lt "$GPU_COUNT" ] || return 0
  instead=
  [ -z "$others" ] || instead=" (it has: ${others%, })"
  problem "it has $planned of $GPU_COUNT cards $GPU_MODEL$instead" "Set pools.$POOL.node.card and gpuCount to what it has. Cards that work: $CARDS"
}

# Numbers of the groups that may open the cards' files, but for root's.
device_groups() {
  [ "$GPU_VENDOR" = amd ] || return 0
  stat -c %g /dev/kfd /dev/dri/renderD* 2>/dev/null | grep -vx 0 | sort -un | tr '\n' ',' | sed 's/,$//'
}
