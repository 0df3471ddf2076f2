#!/bin/bash
# One trial of two nodes: an all-reduce over all their GPUs. Both pods of the Job run this; the second one answers ssh until it
# is deleted, the first one starts the test on both and says how it ended.
#
#   TRIAL_GPUS       GPUs of a node
#   TRIAL_PEER       name of the second pod
#   TRIAL_SECONDS    after these the test counts as hanging
#   TRIAL_PATIENCE   seconds until the second pod must answer
#   TRIAL_BINARY     the test
#   TRIAL_SMALLEST, TRIAL_LARGEST  bytes of the messages
#   TRIAL_INTERFACE  network that the processes find each other on, not the one that is tried
#   TRIAL_VARIABLES  names of the variables that all processes need, separated by spaces
#   TRIAL_MESSAGE    where the result goes: the kubelet shows it as the pod's message
set -u
started=$SECONDS

# The last words: rows and summary of the test, then the end of what else it said, in the 4 KiB that a message may have.
ended() {
  local line="trial: ended $1 after $((SECONDS - started)) s${2:+: $2}"
  {
    grep -E '^(\[[0-9,]+\]<stdout>:)? *[0-9]+ +[0-9]+ |Out of bounds values|Avg bus bandwidth' "$output" | tail -n 12
    grep -v -E '^(\[[0-9,]+\]<stdout>:)?( *[0-9]+ +[0-9]+ |#)' "$output" | tail -n 6 | cut -c 1-200
    echo "$line"
  } > "$TRIAL_MESSAGE"
  echo "$line"
  exit "$1"
}

if [ "${JOB_COMPLETION_INDEX:?}" != 0 ]; then
  exec /usr/sbin/sshd -D -e -f "$HOME/sshd_config"
fi

output=$(mktemp)
# mpirun in the images of NVIDIA, AMD and Amazon.
PATH=$PATH:/usr/local/mpi/bin:/opt/hpcx/ompi/bin:/opt/ompi/bin:/opt/amazon/openmpi/bin
mpirun=$(command -v mpirun) || ended 127 "there is no mpirun in the image"

until ssh "$TRIAL_PEER" true > "$output" 2>&1; do
  if [ $((SECONDS - started)) -ge "$TRIAL_PATIENCE" ]; then
    ended 69 "$TRIAL_PEER does not answer: $(tail -n 1 "$output" | cut -c 1-200)"
  fi
  sleep 1
done
peer=$(getent ahostsv4 "$TRIAL_PEER" | awk 'NR == 1 { print $1 }')
variables=()
for name in $TRIAL_VARIABLES; do
  variables+=(-x "$name")
done
# The image's own, which a shell that ssh starts does not have.
if [ -n "${LD_LIBRARY_PATH:-}" ]; then
  variables+=(-x LD_LIBRARY_PATH)
fi

# An absolute path: mpirun then finds its parts on the other node without its PATH.
timeout --kill-after=10 "$TRIAL_SECONDS" "$mpirun" \
  -np $((2 * TRIAL_GPUS)) -npernode "$TRIAL_GPUS" --bind-to numa --host "$POD_IP:$TRIAL_GPUS,$peer:$TRIAL_GPUS" \
  -mca coll ^hcoll -mca oob_tcp_if_include "$TRIAL_INTERFACE" -mca btl_tcp_if_include "$TRIAL_INTERFACE" \
  -x UCX_TLS=tcp,self,sm -x UCX_NET_DEVICES="$TRIAL_INTERFACE" "${variables[@]}" \
  "$TRIAL_BINARY" -b "$TRIAL_SMALLEST" -e "$TRIAL_LARGEST" -f 2 -g 1 -n 20 -c 1 > "$output" 2>&1
status=$?
# Not by a pipe: a process that mpirun could not end would keep it open, and this script waiting.
cat "$output"
ended "$status"
