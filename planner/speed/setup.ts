/** Inputs of the formulas from model, GPUs and layout; or why the speed is unknown. */
import type { GpuModel, GpuSpec, MachineShape } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import type { Layout } from "../layouts";
import type { ModelRequest } from "../request";
import { type ConstantTable, ownConstants } from "./constants";
import { ownMargins, type SpeedBasis } from "./margin";
import type { CardFamily, CardSpeed, LinkSpeed, ReplicaSetup } from "./types";
import { modelWork } from "./work";

export type SetupAnswer =
  | { readonly setup: ReplicaSetup; readonly basis: SpeedBasis }
  /** Half a sentence. */
  | { readonly reason: string };

export interface SetupOptions {
  /** `MemoryEstimate.kvTokens`. */
  readonly kvTokens: number;
  /** With a measurement, card figures may be unknown. */
  readonly isMeasured?: boolean;
  /** @default the fitted constants */
  readonly constants?: ConstantTable;
}

type Machine = Pick<MachineShape, "name" | "gpu" | "cpu" | "rdma" | "networkGbps">;
type Model = Pick<
  ModelRequest,
  "architecture" | "engine" | "engineVersion" | "quantization" | "kvCacheDtype" | "maxNumSeqs"
>;

export function setupOf(
  model: Model,
  machine: Machine,
  layout: Layout,
  { kvTokens, isMeasured = false, constants = ownConstants }: SetupOptions,
): SetupAnswer {
  const { gpu } = machine;
  const card = cardOf(machine, isMeasured);
  if ("reason" in card) {
    return card;
  }
  if (kvTokens <= 0) {
    return { reason: "nothing is known of its KV cache" };
  }
  const { tensorParallel, pipelineParallel, nodesPerReplica } = layout;
  const name = engineOf(model.engine).kernelsOf ?? model.engine;
  const engine = { name, ...(name === model.engine && { version: model.engineVersion }) };
  const link = gpu !== undefined && tensorParallel * pipelineParallel > 1 ? linkOf(gpu) : undefined;
  const nodeLink = nodesPerReplica > 1 ? networkOf(machine) : undefined;
  const setup: ReplicaSetup = {
    work: modelWork(model.architecture, {
      ...(model.quantization !== undefined && { quantization: model.quantization }),
      kvCacheDtype: model.kvCacheDtype,
      tensorParallel,
    }),
    card,
    ...(link !== undefined && { link }),
    ...(nodeLink !== undefined && { nodeLink }),
    engine,
    tensorParallel,
    pipelineParallel,
    kvTokens,
    ...(model.maxNumSeqs !== undefined && { maxNumSeqs: model.maxNumSeqs }),
    coefficients: constants.resolve({ family: card.family, engine, ...(link !== undefined && { link: link.kind }) }),
  };
  return { setup, basis: basisOf(card.name, engine.name) };
}

function cardOf({ name, gpu, cpu }: Machine, isMeasured: boolean): CardSpeed | { readonly reason: string } {
  if (gpu === undefined) {
    return isMeasured ? nominalCpu(cpu.vcpus) : { reason: `the memory bandwidth of the CPUs of ${name} is not known` };
  }
  if (gpu.slice !== undefined) {
    return { reason: `how fast a part of ${gpu.model} is was not measured` };
  }
  return cardSpeed(gpu) ?? { reason: `the catalogue has no bandwidth and arithmetic of ${gpu.model}` };
}

/**
 * No datasheet states a machine's share of a CPU: round figures of a server core (a judgement),
 * corrected by measurement. They only affect the ratio of a time's parts.
 */
function nominalCpu(vcpus: number): CardSpeed {
  return { name: "CPU", family: "cpu", memoryGBs: 5 * vcpus, tflops: { dense16: 0.05 * vcpus } };
}

/** Undefined where the catalogue lacks a figure. */
export function cardSpeed(gpu: Omit<GpuModel, "memorySource" | "engineMemorySource" | "notes">): CardSpeed | undefined {
  const family = familyOf(gpu);
  const dense16 = gpu.speed?.dense16 ?? gpu.tflops?.dense16;
  if (gpu.speed === undefined || dense16 === undefined || family === undefined) {
    return undefined;
  }
  const { memoryGBs, dense8, dense4 } = gpu.speed;
  const tflops = { dense16, ...(dense8 !== undefined && { dense8 }), ...(dense4 !== undefined && { dense4 }) };
  return { name: gpu.model, family, memoryGBs, tflops };
}

/** Catalogue generations by the constants' names. */
function familyOf({ arch, abilities }: Pick<GpuModel, "arch" | "abilities">): CardFamily | undefined {
  switch (arch) {
    case "ampere":
      return abilities?.computeCapability === 8 ? "ampere-dc" : "ampere";
    case "blackwell":
      return (abilities?.computeCapability ?? 12) < 12 ? "blackwell-dc" : "blackwell";
    case "volta":
    case "turing":
    case "ada":
    case "hopper":
      return arch;
    default:
      return /^(cdna|gcn)/.test(arch) ? "cdna" : /^rdna/.test(arch) ? "rdna" : undefined;
  }
}

function linkOf(gpu: GpuSpec): LinkSpeed | undefined {
  const { speed } = gpu;
  if (speed === undefined) {
    return undefined;
  }
  if (speed.linkGBs !== undefined && (gpu.nvlink === true || gpu.vendor === "amd")) {
    return { kind: gpu.vendor === "amd" ? "xgmi" : "nvlink", gbs: speed.linkGBs };
  }
  return { kind: "pcie", gbs: speed.pcieGBs };
}

/** Per GPU, when all send at once. */
function networkOf({ rdma, networkGbps, gpu }: Machine): LinkSpeed {
  const gbps = rdma.kind === "none" ? (networkGbps ?? SLOWEST_NETWORK_GBPS) : rdma.gbps;
  return { kind: "network", gbs: gbps / 8 / Math.max(1, gpu?.count ?? 1) };
}

/** Fallback: no machine with GPUs has less. */
const SLOWEST_NETWORK_GBPS = 10;

function basisOf(card: string, engine: string): SpeedBasis {
  const measured = ownMargins.measured.filter((each) => each.card === card);
  if (measured.length === 0) {
    return "unseen-card";
  }
  return measured.some(({ engines }) => engines.includes(engine)) ? "same-card-and-engine" : "same-card";
}
