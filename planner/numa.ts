/**
 * Policy of the kubelets' topology manager. A rejected pod fails whatever the scheduler decided, as
 * it ignores NUMA nodes and sends the successor to the same node.
 *
 * Rules of Kubernetes 1.36 (pkg/kubelet/cm: topologymanager/policy*.go,
 * cpumanager/policy_static.go, devicemanager/topology_hints.go), read 2026-11-23: each resource
 * prefers the fewest NUMA nodes that could hold the request on an idle machine. `restricted` admits
 * a pod only where all resources prefer the same set and enough of it is free; `single-numa-node`
 * only where that set is one node. `restricted` therefore admits a pod with all GPUs if its CPUs
 * need all NUMA nodes too.
 */
import type { MachineShape } from "../catalog/shapes";
import { reservableCpus } from "./pod-resources";
import type { CapacityProblem, NumaPolicy, PodResources } from "./types";

export type NumaPod = Pick<PodResources, "gpus" | "cpu" | "extended"> & {
  /** Its model. */
  readonly name: string;
};

export interface NumaQuestion {
  readonly shape: MachineShape;
  /** Set by the environment. @default the strictest that rejects no planned pod */
  readonly chosen?: NumaPolicy;
  readonly pods: readonly NumaPod[];
  /** Whole CPUs of pods without GPUs on a node. */
  readonly besides: number;
}

/** Undefined without exclusive CPUs: no GPUs, or a reserve below one CPU. */
export function numaPolicyOf(question: NumaQuestion): NumaPolicy | undefined {
  const { shape, chosen } = question;
  if (!placesCpus(shape)) {
    return undefined;
  }
  return chosen ?? (turnedDown("restricted", question) === undefined ? "restricted" : "best-effort");
}

/** Whether the kubelet gives engines exclusive CPUs. */
function placesCpus(shape: MachineShape): boolean {
  return shape.gpu !== undefined && reservableCpus(shape) >= 1;
}

/** A chosen policy that always rejects planned pods. */
export function numaProblem(pool: string, question: NumaQuestion): CapacityProblem | undefined {
  const { chosen, shape } = question;
  if (chosen === undefined || chosen === "best-effort" || !placesCpus(shape)) {
    return undefined;
  }
  const why = turnedDown(chosen, question);
  if (why === undefined) {
    return undefined;
  }
  const other = turnedDown("restricted", question) === undefined ? "restricted" : "best-effort";
  return {
    // For machines that the catalogue knows too little of, the user may know better.
    severity: chosen === "restricted" && memoryNodes(shape, 0) === undefined ? "advisory" : "mandatory",
    rule: "numa-policy",
    subject: `pools.${pool}.numa`,
    message: `pools.${pool}.numa is ${chosen}: ${why}. The scheduler does not know what kubelets turn down, and sends pods there again and again. Write numa: ${other}, or remove it: the plan then takes that.`,
  };
}

/** GPUs and CPUs per NUMA node of an idle machine. */
interface MemoryNodes {
  readonly count: number;
  readonly gpus: number;
  readonly cpus: number;
  /** Of `cpus`: after the system's reserve and pods without GPUs. */
  readonly freeCpus: number;
}

/** Why a planned pod may be rejected; undefined where all are always admitted. */
function turnedDown(policy: "restricted" | "single-numa-node", question: NumaQuestion): string | undefined {
  const { shape, pods, besides } = question;
  if (shape.numa?.nodes === 1) {
    return undefined;
  }
  const nodes = memoryNodes(shape, besides);
  if (nodes === undefined) {
    return `the memory nodes of the GPUs of ${shape.name} are unknown`;
  }
  const wide = pods.filter(({ gpus }) => gpus > nodes.gpus);
  const narrow = pods.filter(({ gpus }) => gpus <= nodes.gpus);
  const [widest] = wide;
  if (widest && policy === "single-numa-node") {
    return `a pod of ${widest.name} has ${widest.gpus} GPUs, and a memory node of ${shape.name} has ${nodes.gpus}`;
  }
  return [
    ...wide.map((pod) => wideProblem(pod, nodes)),
    narrowProblem(narrow, nodes),
    mixProblem(wide, narrow, nodes),
  ].find((each) => each !== undefined);
}

function memoryNodes(shape: MachineShape, besides: number): MemoryNodes | undefined {
  const { numa, gpu, cpu } = shape;
  // With GPUs on some NUMA nodes only, a pod's CPUs and GPUs rarely prefer the same.
  if (!numa || !gpu || numa.withGpus !== numa.nodes) {
    return undefined;
  }
  const cpus = Math.floor(cpu.vcpus / numa.nodes);
  const reserved = Math.ceil(reservableCpus(shape) / numa.nodes);
  return { count: numa.nodes, gpus: gpu.count / numa.nodes, cpus, freeCpus: cpus - reserved - besides };
}

/** A pod with several NUMA nodes' GPUs: its CPUs must need as many; all of them leave no choice. */
function wideProblem({ name, gpus, cpu }: NumaPod, { count, gpus: perNode, cpus }: MemoryNodes): string | undefined {
  if (Math.ceil(gpus / perNode) < count) {
    return `pods of ${name} take the GPUs of some memory nodes, and which are free together depends on who came before`;
  }
  // A fractional CPU next to the engine's has no NUMA preference.
  return Math.floor(cpu) - 1 > (count - 1) * cpus
    ? undefined
    : `pods of ${name} take the GPUs of ${count} memory nodes, but CPUs of fewer`;
}

/** Pods within one NUMA node: with a single size, free room always fits whole pods. */
function narrowProblem(pods: readonly NumaPod[], nodes: MemoryNodes): string | undefined {
  const [first, ...others] = pods;
  if (!first) {
    return undefined;
  }
  const other = others.find(({ gpus }) => gpus !== first.gpus);
  if (other) {
    return `pods of ${first.name} and ${other.name} have ${first.gpus} and ${other.gpus} GPUs: between them, GPUs stay free on several memory nodes that are too few on each`;
  }
  const withDevices = pods.find(({ extended }) => Object.keys(extended ?? {}).length > 0);
  if (withDevices) {
    return `pods of ${withDevices.name} take the RDMA devices of all memory nodes, but GPUs of one`;
  }
  const each = Math.floor(nodes.gpus / first.gpus);
  if (Math.floor((nodes.count * nodes.gpus) / first.gpus) > nodes.count * each) {
    return `${first.gpus} GPUs of a pod of ${first.name} do not divide the ${nodes.gpus} of a memory node`;
  }
  const hungry = pods.find(({ cpu }) => each * Math.floor(cpu) > nodes.freeCpus);
  return (
    hungry &&
    `pods of ${hungry.name} take ${Math.floor(hungry.cpu)} CPUs each, and the ${nodes.freeCpus} of a memory node do not hold ${each}`
  );
}

/** Mixing both kinds on a machine fragments its GPUs. */
function mixProblem(wide: readonly NumaPod[], narrow: readonly NumaPod[], nodes: MemoryNodes): string | undefined {
  const beside = wide.find(({ gpus }) => narrow.some((pod) => nodes.count * nodes.gpus - gpus >= pod.gpus));
  return beside && `pods of ${beside.name} span memory nodes and leave GPUs of them to smaller pods`;
}
