import type { MachineShape } from "../catalog/shapes";
import type { SidecarResources } from "../engines";
import { type HostMemoryUse, sumOfUses } from "../engines/host-memory";
import { nodeAgents } from "./node-agents";
import type { Capacity } from "./packing";
import type { PodResources } from "./types";

/** CPU in cores and memory in GiB that kernel, kubelet and system daemons keep on a node, where nothing better is known. */
const SYSTEM_RESERVE = { cpu: 0.25, cpuFraction: 0.03, memoryGiB: 0.5, memoryFraction: 0.06 };

/**
 * Part of a machine's memory that its kernel never counts as its own: 64 bytes for each page of 4 KiB (1.6 %: struct page of
 * Linux 6, x86-64 and arm64), and what the firmware keeps. It is within the reserve above, so a kubelet is told of the rest.
 */
const UNCOUNTED_MEMORY_FRACTION = 0.025;

/** What the platform's own pods take on a node that also runs models (an environment without a system pool). */
export const PLATFORM_RESERVE: Capacity = { gpus: 0, cpu: 2, memoryGiB: 6 };

/** Host memory of an engine process beside the weights it maps: interpreter, tokenizer, CUDA context, staging buffers. */
const ENGINE_HOST_GIB = { base: 4, perGpu: 2 };

/** What a node hands to pods of any kind, agents among them: its allocatable, as Kubernetes calls it. */
export function nodeAllocatable(shape: MachineShape): Capacity {
  const { cpu, cpuFraction, memoryGiB, memoryFraction } = SYSTEM_RESERVE;
  return {
    gpus: shape.gpu?.count ?? 0,
    cpu: Math.max(0, shape.cpu.vcpus * (1 - cpuFraction) - cpu),
    memoryGiB: Math.max(
      0,
      shape.allocatableMemoryMiB === undefined
        ? shape.memoryGiB * (1 - memoryFraction) - memoryGiB
        : shape.allocatableMemoryMiB / 1024,
    ),
  };
}

/** What the pods of models may claim of a node, beside its agents and whatever else is reserved. */
export function allocatable(shape: MachineShape, reserve: Capacity): Capacity {
  const { gpus, cpu, memoryGiB } = nodeAllocatable(shape);
  const agents = nodeAgents(shape);
  return {
    gpus,
    cpu: Math.max(0, cpu - agents.cpu - reserve.cpu),
    memoryGiB: Math.max(0, memoryGiB - agents.memoryGiB - reserve.memoryGiB),
  };
}

/**
 * What the kubelet of a machine of one's own is to keep from pods, so that they get what `nodeAllocatable` says: CPU in
 * cores, memory in GiB of what the kernel counts.
 */
export function keptFromPods(shape: MachineShape): Pick<Capacity, "cpu" | "memoryGiB"> {
  const { cpu, memoryGiB } = nodeAllocatable(shape);
  return {
    cpu: shape.cpu.vcpus - cpu,
    memoryGiB: shape.memoryGiB * (1 - UNCOUNTED_MEMORY_FRACTION) - memoryGiB,
  };
}

/**
 * Whole CPUs that a kubelet may keep for the system without taking any from pods: of the reserve that plans count with.
 * None on machines whose reserve is a fraction of one.
 */
export function reservableCpus({ cpu }: Pick<MachineShape, "cpu">): number {
  return Math.floor(cpu.vcpus * SYSTEM_RESERVE.cpuFraction + SYSTEM_RESERVE.cpu);
}

/** What a pod takes whatever its model needs of memory. */
export interface EnginePod {
  /** What all its containers write to their roots, logs and emptyDirs. */
  readonly ephemeralStorageGiB: number;
  /** Memory that its engine keeps adapters in. @default 0 */
  readonly adapterMemoryGiB?: number;
  /** Memory that its engine moves weights of the GPUs to. @default 0 */
  readonly weightsMemoryGiB?: number;
  /** What options of its model take. @default nothing */
  readonly optionMemory?: readonly HostMemoryUse[];
  readonly sidecar: SidecarResources;
  /** Least of the pod, as the user says. @default what is planned */
  readonly least?: { readonly cpu: number; readonly memoryGiB: number };
}

/** The same without GPUs. */
export interface CpuEnginePod extends EnginePod {
  /** Of `/dev/shm`, besides what options take there. */
  readonly sharedMemoryGiB: number;
}

/**
 * A GPU pod gets its GPUs' share of the node's CPUs and memory, so that no GPU is stranded behind a
 * neighbour's CPU claim, but no more memory than twice its GPUs' (the rule for model cache and batch buffers).
 * Its engine has whole CPUs: the kubelet's static CPU manager gives cores of their own to nothing else.
 */
export function gpuPodResources(shape: MachineShape, node: Capacity, gpus: number, engine: EnginePod): PodResources {
  const gpu = shape.gpu;
  if (!gpu) {
    throw new Error(`shape ${shape.name} has no GPU`);
  }
  const share = gpus / gpu.count;
  const { ephemeralStorageGiB, adapterMemoryGiB = 0, weightsMemoryGiB = 0, optionMemory = [], sidecar } = engine;
  const { least = NO_LEAST } = engine;
  const ofOptions = sumOfUses(optionMemory);
  const exchangeGiB = exchangeMemoryGiB(gpus);
  const engineGiB = Math.max(2 * gpus * gpu.memoryGiB, hostMemoryFloorGiB(gpus) + weightsMemoryGiB);
  const wanted = engineGiB + exchangeGiB + adapterMemoryGiB + ofOptions.memoryGiB;
  return {
    cpu: Math.max(cpuShare(node.cpu * share, sidecar, 1), leastCpu(least.cpu, sidecar, 1)),
    memoryGiB: Math.max(Math.floor(Math.min(node.memoryGiB * share, wanted)), least.memoryGiB),
    ephemeralStorageGiB,
    sharedMemoryGiB: exchangeGiB + ofOptions.sharedMemoryGiB,
    ...(ofOptions.memoryGiB > 0 && { optionMemoryGiB: ofOptions.memoryGiB }),
    gpus,
    gpuResource: gpu.resource,
  };
}

/** Of `/dev/shm`, for the tensors that the workers of one node exchange; a single worker needs little. */
export function exchangeMemoryGiB(gpus: number): number {
  return gpus > 1 ? Math.min(32, 4 * gpus) : 1;
}

/** A CPU-only pod: memory from the estimate, and what its processes share; half of the node's CPUs. Threads beyond the cores only contend. */
export function cpuPodResources(
  node: Capacity,
  memoryGiB: number,
  {
    ephemeralStorageGiB,
    adapterMemoryGiB = 0,
    optionMemory = [],
    sidecar,
    sharedMemoryGiB,
    least = NO_LEAST,
  }: CpuEnginePod,
): PodResources {
  const ofOptions = sumOfUses(optionMemory);
  const wanted = memoryGiB + adapterMemoryGiB + sharedMemoryGiB + ofOptions.memoryGiB;
  return {
    cpu: Math.max(cpuShare(node.cpu / 2, sidecar, 0.5), leastCpu(least.cpu, sidecar, 0.5)),
    memoryGiB: Math.max(Math.ceil(wanted * 4) / 4 + sidecar.memoryGiB, least.memoryGiB),
    ephemeralStorageGiB,
    sharedMemoryGiB: sharedMemoryGiB + ofOptions.sharedMemoryGiB,
    ...(ofOptions.memoryGiB > 0 && { optionMemoryGiB: ofOptions.memoryGiB }),
    gpus: 0,
  };
}

/** Least host memory that an engine with so many GPUs starts in, GiB. */
export function hostMemoryFloorGiB(gpus: number): number {
  return ENGINE_HOST_GIB.base + ENGINE_HOST_GIB.perGpu * gpus;
}

const NO_LEAST = { cpu: 0, memoryGiB: 0 };

/** Least CPUs of a pod, of which the engine's are a multiple of `step`. */
function leastCpu(cpu: number, sidecar: SidecarResources, step: number): number {
  return cpu === 0 ? 0 : Math.ceil(Math.max(0, cpu - sidecar.cpu) / step) * step + sidecar.cpu;
}

/** The engine's CPUs, a multiple of `step` and at least one, and the sidecar's. */
function cpuShare(share: number, sidecar: SidecarResources, step: number): number {
  return Math.max(step, Math.floor((share - sidecar.cpu) / step) * step) + sidecar.cpu;
}
