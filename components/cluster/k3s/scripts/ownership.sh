#!/bin/sh
# Whose the machine is, and where things are on it. Not every script that comes after it uses every name (SC2034).
ETC=/etc/inference-stacks
STATE=$ETC/k3s
# Downloads that are under way, and copies of the datastore.
# shellcheck disable=SC2034
KEPT=/var/lib/inference-stacks
# Gone after a boot.
# shellcheck disable=SC2034
RUNTIME=/run/inference-stacks

# shellcheck disable=SC2034
UNIT=/etc/systemd/system/k3s.service
K3S=/usr/local/bin/k3s
K3S_DATA=/var/lib/rancher/k3s
# What k3s makes by itself while it runs, and its own script leaves in part.
# shellcheck disable=SC2034
K3S_FOLDERS="/etc/rancher /etc/rancher/k3s /etc/rancher/node /var/lib/rancher $K3S_DATA /var/lib/kubelet /var/lib/cni
/var/log/pods /var/log/containers /usr/libexec/kubernetes /etc/cni /opt/cni /run/k3s /run/flannel"

# Of a k3s that is there, or of a Kubernetes whose folders are the same, one a line.
traces_of_k3s() {
  for trace in "$K3S" /usr/bin/k3s /opt/bin/k3s /etc/systemd/system/k3s*.service /etc/init.d/k3s* \
    "$K3S_DATA/server" "$K3S_DATA/agent" /etc/rancher/k3s/* /var/lib/kubelet/*; do
    [ ! -e "$trace" ] || printf '%s\n' "$trace"
  done
}

# Why this machine must be left alone, and what mends it; nothing where it is ours or nobody's. NODE is told; node is read.
# shellcheck disable=SC2153
foreign_k3s() {
  if [ -f "$STATE/owner" ]; then
    owner=$(cat "$STATE/owner")
    node=$(cat "$STATE/node")
    if [ "$owner" != "$ENVIRONMENT" ]; then
      echo "it is the node of the environment $owner: end that first (pulumi destroy -s $owner), or name another machine in cluster.hosts.$NODE.address"
    elif [ "$node" != "$NODE" ]; then
      echo "its node is called $node, and volumes are bound to that name: call it so again in cluster.hosts, or end it first (pulumi destroy, which deletes its data)"
    fi
    return
  fi
  traces=$(traces_of_k3s | tr '\n' ' ')
  [ -z "$traces" ] ||
    echo "it has a k3s, or settings or data of one, that were not made from here (${traces% }): take it as it is (cluster.provision: existing, without hosts), or remove it with its data (k3s-uninstall.sh, or k3s-agent-uninstall.sh)"
}
