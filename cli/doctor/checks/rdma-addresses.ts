import { OPERATORS } from "../../../catalog/sriov";
import { someOf } from "../../cluster/foreign-text";
import type { DevicePodFact } from "../facts";
import type { CheckResult } from "../result";
import { type Check, judged, passed, warning } from "./check";

const { namespace, toolkit, addresses, restartWithinSeconds } = OPERATORS;

/**
 * With virtual functions and NVIDIA's toolkit: address assignment must start after the toolkit
 * restarts the container runtime.
 */
export const rdmaAddresses: Check = (facts, needs): CheckResult[] =>
  needs.pools.some(({ pool }) => pool.fabric?.access === "virtual-functions")
    ? [
        judged(
          {
            check: "rdma-addresses",
            title: "Addresses of RDMA interfaces",
            needed:
              "nv-ipam started after the container toolkit on every node, whose container runtime the toolkit restarts",
          },
          facts.devicePods,
          (pods) => {
            const before = pods.filter((pod) => isOf(pod, addresses) && startedBefore(pod, pods));
            return before.length === 0
              ? passed(pods.length === 0 ? "neither is there yet" : "it did")
              : warning(
                  `started before: ${someOf(before.map(({ name, node }) => `${name} on ${node}`))}; pods there may stay in ContainerCreating`,
                  `kubectl -n ${namespace} delete pod ${before.map(({ name }) => name).join(" ")}`,
                );
          },
        ),
      ]
    : [];

function startedBefore(pod: DevicePodFact, pods: readonly DevicePodFact[]): boolean {
  const restarts = pods
    .filter((other) => isOf(other, toolkit) && other.node === pod.node)
    .flatMap(({ started }) => started);
  const [first] = pod.started.toSorted((a, b) => a - b);
  return first !== undefined && restarts.some((at) => first < at + restartWithinSeconds * 1000);
}

function isOf({ labels }: DevicePodFact, app: string): boolean {
  return labels.app === app;
}
