import { kubeletArguments } from "../kubelet";
import type { OkePool } from "../settings";
import { type BootPart, bootFile, bootScript } from "./boot-part";

const KUBELET_ARGUMENTS = "/etc/inference-stacks/kubelet-arguments";

/**
 * Makes the machine a node, with the kubelet's arguments of its pool.
 *
 * @param kubernetesVersion with a leading v.
 */
export function joinPart(
  { plan, computeCluster }: Pick<OkePool, "plan" | "computeCluster">,
  kubernetesVersion: string,
): BootPart {
  const script = bootScript("join-oke.sh");
  return {
    files: [bootFile(KUBELET_ARGUMENTS, `${kubeletArguments(plan).join("\n")}\n`), script],
    commands: [["bash", script.path, KUBELET_ARGUMENTS, kubernetesVersion, ...(computeCluster ? ["unlimited"] : [])]],
  };
}
