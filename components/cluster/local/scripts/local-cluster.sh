#!/bin/sh
# Makes or removes a cluster in containers of this computer: local-cluster.sh create | delete
#
# Standard output of "create" is the kubeconfig of the cluster, and nothing else: it is a secret. Progress and mistakes go to
# standard error. Asked again, "create" changes nothing that is right, and mends what a killed run left half made.
#
# From the environment:
#   TOOL        k3d or kind
#   ENGINE      docker or podman: what runs the containers
#   CLUSTER     name of the cluster
#   OWNER       identity of whose the cluster is, kept with it: what others made is neither taken nor removed
#   NODE_IMAGE  image of the node
#   INSTALL     page that tells how to install the tool
set -eu

# Volumes with a label and no content: containers of kind take no labels, and these outlive a killed run.
MADE_BY="inference-stacks-$TOOL-$CLUSTER"
WHOLE="inference-stacks-$TOOL-$CLUSTER-whole"
LABEL=inference-stacks.io/owner
# Seconds that a node may take until it is ready, its image pulled.
PATIENCE=600

say() {
  printf '%s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

require() {
  command -v "$TOOL" >/dev/null || fail "$TOOL is not on the PATH of the machine that runs pulumi: install it ($INSTALL), or name another cluster.local.tool"
  command -v "$ENGINE" >/dev/null || fail "$ENGINE is not on the PATH of the machine that runs pulumi: install it, or name another cluster.local.engine"
  "$ENGINE" info >/dev/null 2>&1 || fail "$ENGINE does not answer: start it, and see that you may use it: $ENGINE info"
}

clusters() {
  case "$TOOL" in
    k3d) k3d cluster list --no-headers ;;
    kind) kind get clusters 2>/dev/null ;;
  esac
}

# Asked before anything is decided: a tool that does not answer knows of no cluster either.
exists() {
  names=$(clusters) || fail "$TOOL does not tell which clusters there are: try it by hand"
  printf '%s\n' "$names" | awk '{ print $1 }' | grep -Fqx -- "$CLUSTER"
}

# An image as both its user and the engine may write it.
plain() {
  name=${1#docker.io/}
  printf '%s' "${name%@*}"
}

# Name of the node's container.
node() {
  case "$TOOL" in
    k3d) printf 'k3d-%s-server-0' "$CLUSTER" ;;
    kind) printf '%s-control-plane' "$CLUSTER" ;;
  esac
}

owner_of() {
  "$ENGINE" volume inspect --format "{{ index .Labels \"$LABEL\" }}" "$1" 2>/dev/null || true
}

mark() {
  "$ENGINE" volume create --label "$LABEL=$OWNER" "$1" >/dev/null
}

unmark() {
  [ -z "$(owner_of "$1")" ] || "$ENGINE" volume rm "$1" >/dev/null
}

refuse_foreign() {
  [ "$(owner_of "$MADE_BY")" = "$OWNER" ] || fail "a cluster $CLUSTER of $TOOL exists that this stack did not make: it is left alone.
Remove it (see what is in it first): $(removal)
Or give the stack another name."
}

removal() {
  case "$TOOL" in
    k3d) printf 'k3d cluster delete %s' "$CLUSTER" ;;
    kind) printf 'kind delete cluster --name %s' "$CLUSTER" ;;
  esac
}

make() {
  say "making the cluster $CLUSTER with $TOOL from $NODE_IMAGE"
  case "$TOOL" in
    # Reached from this computer alone; its own load balancer and Traefik would stand in the gateway's way.
    k3d)
      k3d cluster create "$CLUSTER" --image "$NODE_IMAGE" --servers 1 --agents 0 --api-port 127.0.0.1:random \
        --no-lb --k3s-arg '--disable=traefik@server:0' --wait --timeout "${PATIENCE}s" \
        --kubeconfig-update-default=false --kubeconfig-switch-context=false >&2
      ;;
    kind) kind create cluster --name "$CLUSTER" --image "$NODE_IMAGE" --wait "${PATIENCE}s" >&2 ;;
  esac
}

start() {
  say "starting the cluster $CLUSTER, which exists"
  image=$("$ENGINE" inspect --format '{{ .Config.Image }}' "$(node)")
  [ "$(plain "$image")" = "$(plain "$NODE_IMAGE")" ] || say "it stays at $image: only a new one has $NODE_IMAGE (pulumi destroy, then up)"
  case "$TOOL" in
    k3d) k3d cluster start "$CLUSTER" --wait --timeout "${PATIENCE}s" >&2 ;;
    kind) "$ENGINE" start "$(node)" >&2 ;;
  esac
}

remove() {
  case "$TOOL" in
    k3d) k3d cluster delete "$CLUSTER" >&2 ;;
    kind) kind delete cluster --name "$CLUSTER" >&2 ;;
  esac
}

kubeconfig() {
  case "$TOOL" in
    k3d) k3d kubeconfig get "$CLUSTER" ;;
    kind) kind get kubeconfig --name "$CLUSTER" ;;
  esac
}

create() {
  if exists; then
    refuse_foreign
    if [ "$(owner_of "$WHOLE")" = "$OWNER" ]; then
      start
      kubeconfig
      return
    fi
    say "the cluster $CLUSTER is half made: it is made anew"
    remove
  fi
  # What is left of one that somebody removed by hand.
  unmark "$WHOLE"
  unmark "$MADE_BY"
  mark "$MADE_BY"
  make
  mark "$WHOLE"
  kubeconfig
}

delete() {
  if exists; then
    refuse_foreign
    say "removing the cluster $CLUSTER"
    remove
  fi
  if [ "$(owner_of "$MADE_BY")" = "$OWNER" ]; then
    unmark "$WHOLE"
    unmark "$MADE_BY"
  fi
}

main() {
  require
  # Neither tool may touch the user's own kubeconfig: each would add the cluster to it, and make it the current one.
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  : >"$scratch/kubeconfig"
  export KUBECONFIG="$scratch/kubeconfig" KIND_EXPERIMENTAL_PROVIDER="$ENGINE"
  # What k3d says besides of its work would be in the midst of the kubeconfig.
  unset LOG_LEVEL
  case "$1" in
    create) create ;;
    delete) delete ;;
    *) fail "local-cluster.sh: create or delete, not \"$1\"" ;;
  esac
}

# The script itself may come by standard input, which no command may read from then.
main "$@" </dev/null
