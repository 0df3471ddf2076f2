import type { MachineShape } from "../catalog/shapes";
import type { SidecarResources } from "../engines";
import { type HostMemoryUse, sumOfUses } from "../engines/host-memory";
import { nodeAgents } from "./node-agents";
import type { Capacity } from "./packing";
import type { PodResources } from "./types";

/** Default reserve of kernel, kubelet and system daemons: CPU in cores, memory in GiB. */
const SYSTEM_RESERVE = { cpu: 0.25, cpuFraction: 0.03, memoryGiB: 0.5, memoryFraction: 0.06 };

/**
 * Memory that the kernel does not count: 64 bytes per page of 4 KiB (1.6 %: struct page of Linux 6,
 * x86-64 and arm64), plus firmware. Part of the reserve above; a kubelet gets the rest.
 */
const UNCOUNTED_MEMORY_FRACTION = 0.025;

/** Platform pods on a node that also runs models (without a system pool). */
export const PLATFORM_RESERVE: Capacity = { gpus: 0, cpu: 2, memoryGiB: 6 };

/**
 * Host memory of an engine besides mapped weights: interpreter, tokenizer, CUDA context, staging
 * buffers.
 */
const ENGINE_HOST_GIB = { base: 4, perGpu: 2 };

/** Kubernetes' allocatable: for pods of any kind, agents included. */
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

/** For model pods, after agents and other reserves. */
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
 * Kubelet reserve of an own machine that yields `nodeAllocatable`: CPU in cores, memory in GiB of
 * the kernel's total.
 */
export function keptFromPods(shape: MachineShape): Pick<Capacity, "cpu" | "memoryGiB"> {
  const { cpu, memoryGiB } = nodeAllocatable(shape);
  return {
    cpu: shape.cpu.vcpus - cpu,
    memoryGiB: shape.memoryGiB * (1 - UNCOUNTED_MEMORY_FRACTION) - memoryGiB,
  };
}

/**
 * Whole CPUs that a kubelet can reserve for the system without taking any from pods. 0 where the
 * reserve is below one.
 */
export function reservableCpus({ cpu }: Pick<MachineShape, "cpu">): number {
  return Math.floor(cpu.vcpus * SYSTEM_RESERVE.cpuFraction + SYSTEM_RESERVE.cpu);
}

export interface EnginePod {
  /** Roots, logs and emptyDirs of all containers. */
  readonly ephemeralStorageGiB: number;
  /** Host memory for adapters. @default 0 */
  readonly adapterMemoryGiB?: number;
  /** Host memory for weights moved from GPUs. @default 0 */
  readonly weightsMemoryGiB?: number;
  /** Host memory of its model's options. @default none */
  readonly optionMemory?: readonly HostMemoryUse[];
  readonly sidecar: SidecarResources;
  /** Minimum set by the user. @default as planned */
  readonly least?: { readonly cpu: number; readonly memoryGiB: number };
}

/** Without GPUs. */
export interface CpuEnginePod extends EnginePod {
  /** `/dev/shm` besides options. */
  readonly sharedMemoryGiB: number;
}

/**
 * A GPU pod gets its GPUs' share of CPUs and memory, so that no neighbour's CPU claim strands GPUs,
 * but at most twice its GPUs' memory (the rule for model cache and batch buffers). Its engine has
 * whole CPUs, because the kubelet's static CPU manager grants exclusive cores to nothing else.
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

/** `/dev/shm` for tensors between a node's workers; a single worker needs little. */
export function exchangeMemoryGiB(gpus: number): number {
  return gpus > 1 ? Math.min(32, 4 * gpus) : 1;
}

/**
 * CPU-only pods get memory from the estimate plus shared memory, and half of the CPUs: threads
 * beyond cores contend.
 */
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

/** Least host memory to start an engine, GiB. */
export function hostMemoryFloorGiB(gpus: number): number {
  return ENGINE_HOST_GIB.base + ENGINE_HOST_GIB.perGpu * gpus;
}

const NO_LEAST = { cpu: 0, memoryGiB: 0 };

/** The engine's part is a multiple of `step`. */
function leastCpu(cpu: number, sidecar: SidecarResources, step: number): number {
  return cpu === 0 ? 0 : Math.ceil(Math.max(0, cpu - sidecar.cpu) / step) * step + sidecar.cpu;
}

/** The engine's part is a multiple of `step` and at least one; plus the sidecar's. */
function cpuShare(share: number, sidecar: SidecarResources, step: number): number {
  return Math.max(step, Math.floor((share - sidecar.cpu) / step) * step) + sidecar.cpu;
}
