import { hostRequirements } from "../../../../planner/host-requirements";
import type { DeploymentPlan } from "../../../../planner/types";

/** Numbers of the files by which programs open cards, as the kernel gives them. */
const FIRST_RENDER_NODE = 128;

/**
 * What a machine tells of itself that has the processor, the memory, the disk and the AMD cards that a plan asks for; cards of NVIDIA are
 * those of `bin/nvidia-smi`. By path.
 */
export function plannedHardware(plan: Pick<DeploymentPlan, "pools" | "models">): Readonly<Record<string, string>> {
  const [needed] = hostRequirements(plan);
  if (needed === undefined) {
    return {};
  }
  const { vcpus, memoryGiB, diskGB, gpus } = needed;
  const diskKiB = Math.ceil((diskGB * 1e9) / 1024);
  const cards = gpus?.vendor === "amd" ? Array.from({ length: gpus.count }, (_, card) => card) : [];
  // The processor is the first node of that list, of version 0.
  const versions = cards.length === 0 ? [] : [0, ...cards.map(() => gpus?.gfx?.version ?? 0)];
  return {
    "/usr/bin/nproc": `#!/bin/sh\necho ${vcpus}\n`,
    "/usr/bin/df": `#!/bin/sh\n# As df -Pk.\necho Filesystem 1024-blocks Used Available Capacity Mounted on\necho /dev/dm-0 ${diskKiB} 0 ${diskKiB} 0% /\n`,
    "/proc/meminfo": `MemTotal:       ${memoryGiB * 1024 ** 2} kB\n`,
    ...(cards.length > 0 && { "/dev/kfd": "" }),
    ...Object.fromEntries(cards.map((card) => [`/dev/dri/renderD${FIRST_RENDER_NODE + card}`, ""])),
    ...Object.fromEntries(
      versions.map((version, node) => [
        `/sys/class/kfd/kfd/topology/nodes/${node}/properties`,
        `cpu_cores_count ${version === 0 ? vcpus : 0}\ngfx_target_version ${version}\n`,
      ]),
    ),
  };
}
