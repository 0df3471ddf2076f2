#!/bin/sh
# Stands in for k3d and kind as their command lines are (k3d v5.9.0, kind v0.32.0): clusters are files below $LOCAL_TOOLS.
# Like them it says its progress where they say it, and changes the kubeconfig that is not kept from it.
set -eu
tool=${0##*/}
printf '%s %s\n' "$tool" "$*" >>"$LOCAL_TOOLS/log"
clusters=$LOCAL_TOOLS/$tool
mkdir -p "$clusters" "$LOCAL_TOOLS/containers"

touch_kubeconfig() {
  file=${KUBECONFIG:-$HOME/.kube/config}
  if [ "${1:-}" = add ] || [ -e "$file" ]; then
    echo "# $tool was here" >>"$file"
  fi
}

# create NAME NODE ARGUMENT...
create() {
  name=$1 node=$2
  shift 2
  if [ -e "$clusters/$name" ]; then
    echo "ERROR: a cluster $name exists" >&2
    exit 1
  fi
  image=
  while [ $# -gt 0 ]; do
    case "$1" in --image) image=$2 ;; esac
    shift
  done
  printf '%s\n' "$image" >"$LOCAL_TOOLS/containers/$node"
  : >"$clusters/$name"
  if [ -e "$LOCAL_TOOLS/create-fails" ]; then
    cat "$LOCAL_TOOLS/create-fails" >&2
    exit 1
  fi
}

case "$tool $*" in
  "k3d version") printf 'k3d version %s\nk3s version v1.35.5-k3s1 (default)\n' "$(cat "$LOCAL_TOOLS/k3d-version" 2>/dev/null || echo v5.9.0)" ;;
  "kind version") echo "kind $(cat "$LOCAL_TOOLS/kind-version" 2>/dev/null || echo v0.32.0) go1.26.3 linux/amd64" ;;
  "k3d cluster list --no-headers")
    [ ! -e "$LOCAL_TOOLS/list-fails" ] || exit 1
    for file in "$clusters"/*; do [ ! -e "$file" ] || echo "${file##*/}   1/1   0/0   false"; done
    ;;
  "kind get clusters")
    [ ! -e "$LOCAL_TOOLS/list-fails" ] || exit 1
    for file in "$clusters"/*; do
      if [ -e "$file" ]; then echo "${file##*/}"; else echo "No kind clusters found." >&2; fi
    done
    ;;
  "k3d cluster create "*)
    shift 2
    case "$*" in *--kubeconfig-update-default=false*) ;; *) touch_kubeconfig add ;; esac
    echo "INFO Creating node 'k3d-$1-server-0'"
    create "$1" "k3d-$1-server-0" "$@"
    ;;
  "kind create cluster --name "*)
    name=$4
    echo "Creating cluster \"$name\" ..." >&2
    create "$name" "$name-control-plane" "$@"
    touch_kubeconfig add
    ;;
  "k3d cluster start "*) echo "INFO Started cluster '$3'" ;;
  "k3d cluster delete "*)
    rm -f "$clusters/$3"
    touch_kubeconfig
    echo "INFO Successfully deleted cluster $3!"
    ;;
  "kind delete cluster --name "*)
    rm -f "$clusters/$4"
    touch_kubeconfig
    echo "Deleting cluster \"$4\" ..." >&2
    ;;
  "k3d kubeconfig get "*)
    [ -z "${LOG_LEVEL:-}" ] || echo "DEBU Getting kubeconfig for cluster '$3'"
    echo ---
    cat "$LOCAL_TOOLS/kubeconfig"
    ;;
  "kind get kubeconfig --name "*) cat "$LOCAL_TOOLS/kubeconfig" ;;
  *)
    echo "test/harness/local-tools/cluster-tool.sh does not know: $tool $*" >&2
    exit 64
    ;;
esac
