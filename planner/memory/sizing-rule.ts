/**
 * Five-step sizing of OCI AI Blueprints ("Multi-Node Inference"), with the formula of substratus.ai
 * ("Calculating GPU memory for serving LLMs") that it links to; both read in November 2026: M = P ×
 * 4 bytes / (32 / Q) × 1.2. GB are 10^9 bytes, as in vendors' shape tables.
 */
import type { MemoryEstimate } from "./types";

export interface SizingRuleInput {
  /** In units of 10^9. */
  readonly parametersB: number;
  /** Bits per weight: 16 for BF16, 8 for FP8, 4 for INT4. */
  readonly bits: number;
  /** All GPUs of one node, GB. */
  readonly shapeGpuMemoryGB: number;
}

export interface SizingStep {
  readonly step: 1 | 2 | 3 | 4 | 5;
  readonly text: string;
  readonly value: number;
  readonly unit: "billion parameters" | "bits" | "GB" | "nodes";
}

export interface SizingRuleResult extends SizingRuleInput {
  readonly steps: readonly SizingStep[];
  readonly memoryGB: number;
  readonly nodes: number;
}

/** Allowance for everything but weights. */
const OVERHEAD_FACTOR = 1.2;

/** @throws RangeError when a number is not above 0 */
export function fiveStepRule(input: SizingRuleInput): SizingRuleResult {
  const { parametersB, bits, shapeGpuMemoryGB } = input;
  for (const [name, value] of Object.entries({ parametersB, bits, shapeGpuMemoryGB })) {
    if (!(value > 0 && Number.isFinite(value))) {
      throw new RangeError(`${name} must be above 0, is ${value}`);
    }
  }
  const weightsGB = (parametersB * 4) / (32 / bits);
  const memoryGB = weightsGB * OVERHEAD_FACTOR;
  // rounding must not add a node to a shape that fits exactly
  const nodes = Math.ceil(Number((memoryGB / shapeGpuMemoryGB).toFixed(9)));
  const steps: readonly SizingStep[] = [
    {
      step: 1,
      text: `parameters of the model: ${show(parametersB)} billion`,
      value: parametersB,
      unit: "billion parameters",
    },
    { step: 2, text: `precision: ${show(bits)} bits per parameter`, value: bits, unit: "bits" },
    {
      step: 3,
      text: `GPU memory: ${show(parametersB)} × 4 bytes / (32 / ${show(bits)}) × ${OVERHEAD_FACTOR} = ${show(memoryGB)} GB`,
      value: memoryGB,
      unit: "GB",
    },
    {
      step: 4,
      text: `GPU memory of one node of the shape: ${show(shapeGpuMemoryGB)} GB`,
      value: shapeGpuMemoryGB,
      unit: "GB",
    },
    { step: 5, text: `nodes: ⌈${show(memoryGB)} / ${show(shapeGpuMemoryGB)}⌉ = ${nodes}`, value: nodes, unit: "nodes" },
  ];
  return { ...input, steps, memoryGB, nodes };
}

export interface ExactSizing {
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly nodesPerReplica: number;
  readonly gpusPerNode: number;
  readonly estimate: MemoryEstimate;
  readonly concurrency: number;
  readonly contextTokens: number;
}

const GB_PER_GIB = 2 ** 30 / 1e9;

/** One replica on all its GPUs: weights, KV cache and overhead. GB. */
export function exactMemoryGB({
  estimate,
  gpusPerNode,
  nodesPerReplica,
}: Omit<ExactSizing, "concurrency" | "contextTokens">): number {
  const gpus = gpusPerNode * nodesPerReplica;
  const stageGpus = gpus / Math.max(1, estimate.stages.length);
  return estimate.stages.reduce((total, stage) => total + stage.totalGiB * stageGpus, 0) * GB_PER_GIB;
}

/** One sentence. */
export function explainDifference(rule: SizingRuleResult, exact: ExactSizing): string {
  return differences(rule, exact).join("; ");
}

/** One clause with figures per cause. */
export function differences(rule: SizingRuleResult, exact: ExactSizing): string[] {
  const { estimate } = exact;
  const gpus = exact.gpusPerNode * exact.nodesPerReplica;
  const { kvCacheGiB, overheadGiB, limitGiB } = estimate.perGpu;
  const stageGpus = estimate.stages.length === 0 ? gpus : gpus / estimate.stages.length;
  const weightsGB = estimate.stages.reduce((total, stage) => total + stage.weightsGiB * stageGpus, 0) * GB_PER_GIB;
  const cacheGB = estimate.stages.reduce((total, stage) => total + stage.kvCacheGiB * stageGpus, 0) * GB_PER_GIB;
  const exactGB = exactMemoryGB(exact);
  const extraGB = rule.memoryGB - rule.memoryGB / OVERHEAD_FACTOR;
  const usableGB = limitGiB * gpus * GB_PER_GIB;
  const shapeGB = rule.shapeGpuMemoryGB * exact.nodesPerReplica;
  return [
    exact.nodesPerReplica === rule.nodes
      ? `both need ${rule.nodes} node(s), the rule for ${show(rule.memoryGB)} GB, the exact figure for ${show(exactGB)} GB`
      : `the rule needs ${rule.nodes} node(s) for ${show(rule.memoryGB)} GB, the exact figure ${exact.nodesPerReplica} for ${show(exactGB)} GB`,
    `weights: the rule counts ${show(rule.memoryGB / OVERHEAD_FACTOR)} GB, loaded they take ${show(weightsGB)} GB on ${gpus} GPU(s), with scales, padding and what every GPU repeats`,
    `KV cache: the rule adds a flat 20 % (${show(extraGB)} GB); ${exact.concurrency} requests of ${exact.contextTokens} tokens take ${show(cacheGB)} GB (${show(kvCacheGiB)} GiB on the tightest GPU)`,
    `engine: ${show(overheadGiB)} GiB on every GPU for activations and communication, which the rule does not count, and ${show(estimate.verdict.intervalGiB.above)} GiB kept free for what the estimate can be off`,
    `capacity: the rule divides by ${show(shapeGB)} GB of shape memory; the engine may use ${show(usableGB)} GB (${show(limitGiB)} GiB per GPU: GB against GiB, what the driver keeps, the engine's utilization)`,
  ];
}

/** At most one decimal, no trailing zero. */
function show(value: number): string {
  return String(Math.round(value * 10) / 10);
}
