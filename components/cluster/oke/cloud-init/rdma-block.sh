#!/usr/bin/env bash
# Labels a machine with its block of the RDMA network, in the file of the kubelet's arguments. cloud-init runs it as root before the
# machine joins; running it again changes nothing.
#
#   rdma-block.sh KUBELET_ARGUMENTS LABEL FIELD OTHER_FIELD
#
# KUBELET_ARGUMENTS  file with one argument of the kubelet on each line
# LABEL              key of the label
# FIELD              what the metadata service calls the block of machines with a capacity topology
# OTHER_FIELD        what it calls it of others
#
# The value is the end of what the service says, as Oracle's labeller (oci-hpc-oke) writes it. A machine that says nothing gets no label,
# and no replica that stays in one block: two machines of which nobody knows their blocks may be of two.
set -euo pipefail

readonly METADATA="http://169.254.169.254/opc/v2/host"
readonly ATTEMPTS="${BLOCK_ATTEMPTS:-5}"
readonly PAUSE_SECONDS="${BLOCK_PAUSE_SECONDS:-6}"
# Characters of an OCID's end.
readonly LENGTH=11

say() {
  echo "rdma-block: $*"
}

ask() {
  curl --fail --silent --location --max-time 10 --header "Authorization: Bearer Oracle" "$1"
}

# "field": "value" of a document, its value.
value_of() {
  grep --only-matching "\"$1\"[[:space:]]*:[[:space:]]*\"[^\"]*\"" <<<"$2" | head -n 1 | sed 's/.*"\([^"]*\)"$/\1/'
}

block() {
  local field="$1" other="$2" document value
  document="$(ask "$METADATA/rdmaTopologyData" || true) $(ask "$METADATA" || true)"
  value="$(value_of "$field" "$document" || true)"
  [[ -n "$value" ]] || value="$(value_of "$other" "$document" || true)"
  [[ -n "$value" ]] && echo "$value"
}

main() {
  local file="$1" label="$2" field="$3" other="$4" value="" attempt
  if grep -q -- "^--node-labels=$label=" "$file"; then
    say "the file has the label already"
    return
  fi
  for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
    if value="$(block "$field" "$other")"; then
      break
    fi
    sleep "$PAUSE_SECONDS"
  done
  if [[ -z "$value" ]]; then
    say "the metadata service names no block: the node gets no label $label"
    return
  fi
  ((${#value} <= LENGTH)) || value="${value: -LENGTH}"
  echo "--node-labels=$label=$value" >>"$file"
  say "its block is $value"
}

[[ $# -eq 4 ]] || { say "usage: rdma-block.sh KUBELET_ARGUMENTS LABEL FIELD OTHER_FIELD" >&2; exit 1; }
main "$@"
