#!/usr/bin/env bash
# Names the CPUs that the system keeps of a GPU machine, in the file of the kubelet's arguments: as many of each memory node,
# so that as many pods fit each, and both threads of a core. cloud-init runs it as root before the machine joins; running it
# again changes nothing.
#
#   kubelet-cpus.sh KUBELET_ARGUMENTS RESERVED [NODES]
#
# KUBELET_ARGUMENTS  file with one argument of the kubelet on each line
# RESERVED           how many CPUs the system keeps
# NODES              memory nodes that the plan counts with, with as many GPUs each; none where it counts with nothing
#
# A machine that is not what the plan counted with gets the policy "best-effort": any other could turn planned pods down.
set -euo pipefail
shopt -s nullglob

# Tests put a folder here.
readonly ROOT="${NODE_ROOT:-}"
readonly CPUS="$ROOT/sys/devices/system/cpu"

say() {
  echo "kubelet-cpus: $*"
}

# "0-2,8" as one number on each line.
numbers() {
  local part
  for part in ${1//,/ }; do
    seq "${part%-*}" "${part#*-}"
  done
}

# CPUs of a memory node ("0-55,112-167"), core after core.
by_core() {
  local cpu siblings
  for cpu in $(numbers "$1"); do
    siblings="$CPUS/cpu$cpu/topology/thread_siblings_list"
    if [[ -r "$siblings" ]]; then
      numbers "$(<"$siblings")"
    else
      echo "$cpu"
    fi
  done | awk '!seen[$0]++'
}

# Lists of CPUs, one memory node on each line. One without CPUs is memory alone, such as a GPU's.
cpu_lists() {
  local node
  for node in "$ROOT"/sys/devices/system/node/node[0-9]*; do
    if [[ -r "$node/cpulist" && -n "$(<"$node/cpulist")" ]]; then
      cat "$node/cpulist"
    fi
  done
}

reserved_cpus() {
  local wanted="$1" lists share i
  mapfile -t lists < <(cpu_lists)
  if ((${#lists[@]} == 0)); then
    seq 0 $((wanted - 1))
    return
  fi
  for i in "${!lists[@]}"; do
    share=$((wanted / ${#lists[@]} + (i < wanted % ${#lists[@]} ? 1 : 0)))
    by_core "${lists[i]}" | awk -v share="$share" 'NR <= share'
  done
}

# Memory nodes of NVIDIA's and AMD's GPUs, one on each line; -1 where the machine does not say.
gpu_nodes() {
  local device
  for device in "$ROOT"/sys/bus/pci/devices/*; do
    case "$(<"$device/vendor") $(<"$device/class")" in
      "0x10de 0x0300"* | "0x10de 0x0302"* | "0x1002 0x0300"* | "0x1002 0x0380"* | "0x1002 0x1200"*)
        cat "$device/numa_node"
        ;;
    esac
  done
}

# Why the machine is not what the plan counted with; nothing where it is.
difference() {
  local planned="$1" lists gpus counts
  mapfile -t lists < <(cpu_lists)
  if ((${#lists[@]} != planned)); then
    echo "it has ${#lists[@]} memory nodes with CPUs, and the plan counted with $planned"
    return
  fi
  mapfile -t gpus < <(gpu_nodes)
  # Devices without a memory node are given as if it did not matter.
  if ((${#gpus[@]} == 0)) || [[ " ${gpus[*]} " == *" -1 "* ]]; then
    return
  fi
  mapfile -t counts < <(printf '%s\n' "${gpus[@]}" | sort | uniq -c | awk '{print $1}')
  if ((${#counts[@]} != planned)) || [[ "$(printf '%s\n' "${counts[@]}" | sort -u | wc -l)" -ne 1 ]]; then
    echo "its GPUs are on the memory nodes $(printf '%s\n' "${gpus[@]}" | sort -n | tr '\n' ' ')"
  fi
}

main() {
  local file="$1" reserved="$2" planned="${3:-}" why=""
  if grep -q -- '^--reserved-cpus=' "$file"; then
    say "the file has its CPUs already"
    return
  fi
  if [[ -n "$planned" ]]; then
    why="$(difference "$planned")"
  fi
  if [[ -n "$why" ]]; then
    say "$why: the policy is best-effort"
    sed -i 's/^--topology-manager-policy=.*/--topology-manager-policy=best-effort/' "$file"
  fi
  echo "--reserved-cpus=$(reserved_cpus "$reserved" | sort -n | paste --serial --delimiters=,)" >>"$file"
  say "the system keeps $(tail -n 1 "$file")"
}

[[ $# -ge 2 ]] || { say "usage: kubelet-cpus.sh KUBELET_ARGUMENTS RESERVED [NODES]" >&2; exit 1; }
main "$@"
