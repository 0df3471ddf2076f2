import { reservableCpus } from "../../../../planner/pod-resources";
import type { PoolPlan } from "../../../../planner/types";
import { kubeletArguments } from "../kubelet";
import { type BootPart, bootFile, bootScript } from "./boot-part";

/** Where nodes have the arguments of their kubelet, one on each line. */
export const KUBELET_ARGUMENTS = "/etc/inference-stacks/kubelet-arguments";

/** The kubelet's arguments of a pool, completed by what only the machine knows. */
export function kubeletPart(plan: PoolPlan): BootPart {
  const file = bootFile(KUBELET_ARGUMENTS, `${kubeletArguments(plan).join("\n")}\n`);
  const { shape, numa } = plan;
  if (numa === undefined) {
    return { files: [file], commands: [] };
  }
  const script = bootScript("kubelet-cpus.sh");
  const counted = numa === "best-effort" || shape.numa === undefined ? [] : [String(shape.numa.nodes)];
  return {
    files: [file, script],
    commands: [["bash", script.path, KUBELET_ARGUMENTS, String(reservableCpus(shape)), ...counted]],
  };
}
