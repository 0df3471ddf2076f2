#!/usr/bin/env bash
# Makes a machine a node of its OKE cluster. cloud-init runs it as root at the first boot; running it again does no harm.
#
#   join-oke.sh KUBELET_ARGUMENTS VERSION [MEMLOCK]
#
# KUBELET_ARGUMENTS  file with one argument of the kubelet on each line
# VERSION            of Kubernetes, such as v1.34.1
# MEMLOCK            "unlimited" where pods pin memory for RDMA
#
# Machines that OKE did not make find the cluster that they join in two files: /etc/oke/oke-apiserver and
# /etc/kubernetes/ca.crt. Without the first, the machine is one of a node pool, and OKE told it by its metadata.
#
# Nothing is taken from the internet: Oracle Linux has its start-up script from the machine's metadata service or its image,
# Ubuntu its packages from the image. Where either is missing, the machine does not join: a node without its taints and its
# kubelet's settings would take pods that must not run on it.
set -euo pipefail

readonly METADATA="http://169.254.169.254/opc/v2"
# Tests put a folder here.
readonly ROOT="${NODE_ROOT:-}"
readonly ATTEMPTS="${JOIN_ATTEMPTS:-20}"
readonly PAUSE_SECONDS="${JOIN_PAUSE_SECONDS:-15}"

say() {
  echo "join-oke: $*"
}

fail() {
  say "$*" >&2
  exit 1
}

# Oracle Linux leaves the space of a larger boot volume unused. Nothing to grow is no failure, and a volume that stays small
# is no silent one: the scheduler counts the space that the kubelet reports.
grow_root() {
  local grow="$ROOT/usr/libexec/oci-growfs"
  if [[ -x "$grow" ]]; then
    "$grow" -y || say "oci-growfs left the root file system as it is"
  fi
}

# A state that an image brings along, made under another policy or on another machine, keeps the kubelet from starting.
forget_cpu_assignments() {
  rm -f "$ROOT/var/lib/kubelet/cpu_manager_state" "$ROOT/var/lib/kubelet/memory_manager_state"
}

# RDMA registers memory that must not be paged out; the runtime's default is 8 MiB.
allow_pinned_memory() {
  mkdir -p "$ROOT/etc/crio/crio.conf.d"
  printf '[crio.runtime]\ndefault_ulimits = ["memlock=-1:-1"]\n' >"$ROOT/etc/crio/crio.conf.d/90-memlock.conf"
}

# systemd-networkd would remove the routes and rules of the network plugin's interfaces.
leave_foreign_routes() {
  mkdir -p "$ROOT/etc/systemd/networkd.conf.d"
  printf '[Network]\nManageForeignRoutes=no\nManageForeignRoutingPolicyRules=no\n' \
    >"$ROOT/etc/systemd/networkd.conf.d/90-oke.conf"
  systemctl try-restart systemd-networkd.service
}

retry() {
  local attempt
  for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
    if "$@"; then
      return 0
    fi
    say "attempt $attempt of $ATTEMPTS failed: $1"
    if ((attempt < ATTEMPTS)); then
      sleep "$PAUSE_SECONDS"
    fi
  done
  return 1
}

install_from_image() {
  local release="$1" version="${2#v}" packages
  packages="/opt/oke-node-client-packages/ubuntu-$release/kubernetes-${version%.*}"
  [[ -d "$ROOT$packages/dists" ]] ||
    fail "the image has neither the program oke nor packages in $packages: take an Ubuntu image of Oracle's for OKE"
  # The packages are part of the image, as whole as the rest of it: apt has no signature to check.
  printf 'deb [trusted=yes] file://%s stable main\n' "$packages" >"$ROOT/etc/apt/sources.list.d/oke-node-client.list"
  apt-get --yes --option Dir::Etc::sourcelist=sources.list.d/oke-node-client.list --option Dir::Etc::sourceparts=- \
    --option APT::Get::List-Cleanup=0 update
  DEBIAN_FRONTEND=noninteractive apt-get --yes --option DPkg::Lock::Timeout=300 install "oci-oke-node-all-$version"
}

# Oracle's own start-up script, as its default for managed nodes runs it.
fetch_start_up_script() {
  local script="$1" encoded
  encoded="$(curl --fail --silent --show-error --location --max-time 30 --header "Authorization: Bearer Oracle" \
    "$METADATA/instance/metadata/oke_init_script")" || return 1
  (umask 077 && base64 --decode <<<"$encoded" >"$script") || return 1
  [[ -s "$script" ]]
}

is_self_managed() {
  [[ -s "$ROOT/etc/oke/oke-apiserver" ]]
}

# Of a self-managed node: where the API server is, and the certificate of its authority, on one line.
read_cluster() {
  [[ -s "$ROOT/etc/kubernetes/ca.crt" ]] || fail "there is no certificate of the cluster in /etc/kubernetes/ca.crt"
  api_server="$(<"$ROOT/etc/oke/oke-apiserver")"
  authority="$(base64 --wrap=0 "$ROOT/etc/kubernetes/ca.crt")"
}

bootstrap() {
  local arguments="$1" cluster=()
  if is_self_managed; then
    local api_server="" authority=""
    read_cluster
    cluster=(--apiserver-host "$api_server" --ca "$authority")
  fi
  retry oke bootstrap "${cluster[@]}" --kubelet-extra-args "$arguments" || fail "oke bootstrap failed"
}

# By the program that Oracle's images for OKE bring. Its arguments stand apart from their values: it takes no equals sign.
join_self_managed_oracle_linux() {
  local script="$ROOT/etc/oke/oke-install.sh" api_server="" authority=""
  [[ -r "$script" ]] || fail "the image has no /etc/oke/oke-install.sh: take an image of Oracle's for OKE"
  read_cluster
  retry bash "$script" --apiserver-endpoint "$api_server" --kubelet-ca-cert "$authority" --kubelet-extra-args "$1" ||
    fail "OKE's program oke-install.sh failed"
}

join_oracle_linux() {
  if is_self_managed; then
    join_self_managed_oracle_linux "$1"
    return
  fi
  local script="$ROOT/var/run/oke-init.sh"
  retry fetch_start_up_script "$script" || fail "the metadata service has no start-up script of OKE"
  retry bash "$script" --kubelet-extra-args "$1" || fail "OKE's start-up script failed"
}

main() {
  local arguments_file="$1" version="$2" memlock="${3:-}" arguments ID="" VERSION_CODENAME=""
  [[ -r "$arguments_file" ]] || fail "there is no file $arguments_file"
  arguments="$(paste --serial --delimiters=' ' "$arguments_file")"

  if systemctl is-active --quiet kubelet.service; then
    say "this machine is a node already"
    return 0
  fi

  # shellcheck source=/dev/null
  . "$ROOT/etc/os-release"
  grow_root
  forget_cpu_assignments
  if [[ "$memlock" == unlimited ]]; then
    allow_pinned_memory
  fi
  if [[ "$ID" == ubuntu ]]; then
    leave_foreign_routes
    command -v oke >/dev/null || install_from_image "$VERSION_CODENAME" "$version"
  fi
  if command -v oke >/dev/null; then
    bootstrap "$arguments"
  elif [[ "$ID" == ol ]]; then
    join_oracle_linux "$arguments"
  else
    fail "$ID is neither Oracle Linux nor Ubuntu"
  fi
  say "joined"
}

[[ $# -ge 2 ]] || fail "usage: join-oke.sh KUBELET_ARGUMENTS VERSION [unlimited]"
main "$@"
