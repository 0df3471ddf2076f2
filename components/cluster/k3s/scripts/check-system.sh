#!/bin/sh
# The machine itself: its system, and what it has.

# MACHINE is told; machine is found.
# shellcheck disable=SC2153
check_system() {
  machine=$(uname -m)
  [ "$machine" = "$MACHINE" ] ||
    problem "it is $machine, and the plan is for $MACHINE" "Set pools.$POOL.node.cpuArch to what it is, or name another machine in cluster.hosts"
  [ -d /run/systemd/system ] || problem "systemd does not run it" "k3s is started by systemd here: use a distribution that has it (Debian, Ubuntu, RHEL, SLES and their like)"
  missing=
  for tool in base64 cut find flock grep sed sha256sum sort stat sysctl systemctl tar; do
    has "$tool" || missing="$missing $tool"
  done
  [ -z "$missing" ] || problem "it lacks the programs$missing" "Install them: they are in coreutils, findutils, grep, sed, tar, procps, util-linux and systemd"
  check_selinux
  check_kernel
  foreign=$(foreign_k3s)
  if [ -n "$foreign" ]; then
    found "$foreign"
  else
    refused=$(refused_release)
    [ -z "$refused" ] || found "$refused"
  fi
  if ! has timedatectl; then
    note "whether its clock is right cannot be told" "Certificates need that: keep it so with chrony or systemd-timesyncd"
  elif [ "$(timedatectl show --property NTPSynchronized --value 2>/dev/null)" != yes ]; then
    note "its clock is not kept right from outside" "Certificates need that: timedatectl set-ntp true, or chrony with a server that it reaches"
  fi
}

check_selinux() {
  has getenforce && [ "$(getenforce)" = Enforcing ] || return 0
  ! rpm -q k3s-selinux >/dev/null 2>&1 || return 0
  problem "SELinux is enforcing, without the rules for k3s" "Install the package k3s-selinux of rpm.rancher.io first"
}

# cgroup v2 needs 5.8 (kubernetes.io, About cgroup v2).
check_kernel() {
  kernel=$(uname -r)
  is_version_at_least "$(printf '%s' "$kernel" | sed 's/[^0-9.].*//')" 5.8 ||
    problem "its kernel is $kernel" "Kubernetes needs 5.8 or newer: update the distribution"
  for module in overlay br_netfilter; do
    [ -d "/sys/module/$module" ] || grep -qw "$module" /proc/filesystems || modprobe --dry-run "$module" >/dev/null 2>&1 ||
      problem "its kernel has no module $module" "Install the distribution's package with more modules, such as linux-modules-extra-$kernel"
  done
  controllers=$(cat /sys/fs/cgroup/cgroup.controllers 2>/dev/null || true)
  lacks=
  for controller in cpu cpuset memory pids; do
    case " $controllers " in
      *" $controller "*) ;;
      *) lacks="$lacks $controller" ;;
    esac
  done
  if [ -z "$controllers" ]; then
    problem "it has no cgroup v2" "Start its kernel with systemd.unified_cgroup_hierarchy=1, or update the distribution"
  elif [ -n "$lacks" ]; then
    problem "its cgroups cannot limit$lacks" "Start its kernel with cgroup_enable=memory cgroup_memory=1, and without cgroup_disable"
  fi
}

# The kernel and the firmware keep a little of what is built in.
check_resources() {
  cpus=$(nproc 2>/dev/null || grep -c '^processor' /proc/cpuinfo)
  [ "$cpus" -ge "$VCPUS" ] ||
    problem "it has $cpus CPU threads, and the plan counts on $VCPUS" "Set pools.$POOL.node.vcpus to what it has"
  memory=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  [ "$memory" -ge $((MEMORY_GIB * 1048576 * 95 / 100)) ] ||
    problem "it has $((memory / 1048576)) GiB of memory, and the plan counts on $MEMORY_GIB" "Set pools.$POOL.node.memoryGiB to what it has"
  data=$(existing_above "$K3S_DATA")
  size=$(df -Pk "$data" | sed -n '2s/^[^ ]* *\([0-9]*\).*/\1/p')
  size=$((size * 1024 / 1000000000))
  [ "$size" -ge $((DISK_GB * 90 / 100)) ] ||
    problem "the disk under $data has $size GB, and the plan counts on $DISK_GB" "Mount a larger one at /var/lib/rancher, or set pools.$POOL.node.localNvmeGB to what it has"
  free=$(df -Pk "$data" | sed -n '2s/^[^ ]* *[0-9]* *[0-9]* *\([0-9]*\).*/\1/p')
  [ -n "$ours" ] || [ "$free" -ge 20000000 ] ||
    problem "the disk under $data has $((free / 1000000)) GB free" "k3s and its images take 20: make room, or mount a disk at /var/lib/rancher"
  swaps=$(sed -n '2,$s/^\([^ \t]*\).*/\1/p' /proc/swaps | grep -v '^/dev/zram' | tr '\n' ' ' || true)
  [ -z "$swaps" ] || risk "it swaps to ${swaps% }" "What pods have in memory, Secrets too, may get onto that disk: swapoff --all, and take it out of /etc/fstab"
}

# The nearest folder that is there.
existing_above() {
  above=$1
  while [ ! -d "$above" ]; do
    above=$(dirname "$above")
  done
  printf '%s' "$above"
}
