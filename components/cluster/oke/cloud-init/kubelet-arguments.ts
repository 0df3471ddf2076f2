import { okeBlockFields } from "../../../../catalog/oke";
import { reservableCpus } from "../../../../planner/pod-resources";
import type { PoolPlan } from "../../../../planner/types";
import { kubeletArguments } from "../kubelet";
import { type BootPart, bootFile, bootScript } from "./boot-part";

/** File with kubelet arguments on nodes, one per line. */
export const KUBELET_ARGUMENTS = "/etc/inference-stacks/kubelet-arguments";

/** Kubelet arguments of a pool, plus those that only the machine knows. */
export function kubeletPart(plan: PoolPlan): BootPart {
  const parts = [cpuPart(plan), blockPart(plan)];
  return {
    files: [
      bootFile(KUBELET_ARGUMENTS, `${kubeletArguments(plan).join("\n")}\n`),
      ...parts.flatMap(({ files }) => files),
    ],
    commands: parts.flatMap(({ commands }) => commands),
  };
}

const NOTHING: BootPart = { files: [], commands: [] };

function cpuPart({ shape, numa }: PoolPlan): BootPart {
  if (numa === undefined) {
    return NOTHING;
  }
  const script = bootScript("kubelet-cpus.sh");
  const counted = numa === "best-effort" || shape.numa === undefined ? [] : [String(shape.numa.nodes)];
  return {
    files: [script],
    commands: [["bash", script.path, KUBELET_ARGUMENTS, String(reservableCpus(shape)), ...counted]],
  };
}

/** Label with the machine's RDMA block, if replicas stay in one and the machine knows it. */
function blockPart({ fabric }: PoolPlan): BootPart {
  const label = fabric?.topologyLabel;
  const fields = label === undefined ? undefined : okeBlockFields(label);
  if (label === undefined || fields === undefined) {
    return NOTHING;
  }
  const script = bootScript("rdma-block.sh");
  return {
    files: [script],
    commands: [["bash", script.path, KUBELET_ARGUMENTS, label, fields.field, fields.otherField]],
  };
}
