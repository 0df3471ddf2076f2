import { fabricOf } from "../../../../catalog/fabrics";
import { findShape, type MachineShape } from "../../../../catalog/shapes";
import { localDisksGiB } from "../../../../planner/local-disks";
import { allocatable } from "../../../../planner/pod-resources";
import { cloudLabels } from "../../../../planner/pool-labels";
import type { NodeTemplate } from "./cloud/nodes";
import type { Taint } from "./karpenter/objects";

/** What decides about a node on EC2, whoever starts the machine. */
export interface Machine {
  /** Instance type. */
  readonly shape: string;
  readonly zone: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Clear text. */
  readonly userData: string;
  readonly bootVolumeGiB: number;
  /** Whether its local disks become one that the kubelet keeps pods' files on. */
  readonly localDisks: boolean;
  /** Whether it has EFA interfaces: their device plugin offers them. */
  readonly efa: boolean;
  /** Image and template, so that a test sees which nodes are new. */
  readonly madeWith: string;
}

/** GiB of a root volume that nobody sizes: 20 (EKS user guide, "Create a managed node group", 2026-11-23). */
export const ROOT_VOLUME_GIB = 20;
/** Part of the root volume that pods may write to. */
const FOR_PODS = 0.85;

/** A node as it is when it has joined. */
export function nodeOf(machine: Machine): NodeTemplate {
  const shape = instanceType(machine.shape);
  const { cpu, memoryGiB, gpus } = allocatable(shape, { gpus: 0, cpu: 0, memoryGiB: 0 });
  const device = machine.efa ? fabricOf(shape.name)?.device : undefined;
  const filesGiB = machine.localDisks ? localDisksGiB({ shape }) : Math.floor(machine.bootVolumeGiB * FOR_PODS);
  return {
    labels: {
      "kubernetes.io/arch": shape.cpu.arch,
      "topology.kubernetes.io/region": machine.zone.slice(0, -1),
      "topology.kubernetes.io/zone": machine.zone,
      ...cloudLabels(shape),
      ...machine.labels,
    },
    taints: [...machine.taints, ...bootTaints(machine.userData)],
    capacity: {
      cpu: `${Math.floor(cpu * 1000)}m`,
      memory: `${Math.floor(memoryGiB * 1024)}Mi`,
      "ephemeral-storage": `${filesGiB}Gi`,
      pods: String(shape.maxPods ?? 110),
      ...(shape.gpu && { [shape.gpu.resource]: String(gpus) }),
      ...(device && { [device.resource]: String(device.perNode) }),
    },
    madeWith: `${shape.name} ${machine.madeWith}`,
  };
}

/** @throws Error in EC2's words for one that the catalogue lacks. */
export function instanceType(name: string): MachineShape {
  const shape = findShape(name);
  if (shape?.provider !== "aws") {
    throw new Error(`InvalidParameterException: The following supplied instance types do not exist: [${name}]`);
  }
  return shape;
}

/** Taints that the kubelet was told to register with. */
function bootTaints(userData: string): Taint[] {
  const { taints = "" } = /--register-with-taints=(?<taints>[^\s"']+)/.exec(userData)?.groups ?? {};
  return taints
    .split(",")
    .filter((text) => text !== "")
    .map((text) => {
      const {
        key = "",
        value,
        effect = "",
      } = /^(?<key>[^=:]+)(=(?<value>[^:]*))?:(?<effect>\w+)$/.exec(text)?.groups ?? {};
      return { key, ...(value && { value }), effect };
    });
}
