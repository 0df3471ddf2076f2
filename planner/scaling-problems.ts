/** Scaling problems that depend on a model's placement; others are configuration rules. */
import type { GpuSpec } from "../catalog/shapes";
import { engineOf } from "../engines";
import type { Placement } from "./placement";
import { leastPrefillMs } from "./prefill";
import type { PoolRequest } from "./request";
import type { ScalingPlan, ScalingSignalName } from "./scaling";
import type { CapacityProblem, ModelPlan } from "./types";

const OF_GPUS: readonly ScalingSignalName[] = ["gpuMemory", "gpuUtilization"];

/** @param models as they are planned. */
export function scalingProblems(
  placement: Placement,
  pools: readonly PoolRequest[],
  models: readonly ModelPlan[],
): CapacityProblem[] {
  const { scaling } = models.find(({ name }) => name === placement.model.name) ?? {};
  const pool = pools.find(({ name }) => name === placement.candidate.pool);
  return scaling && pool
    ? [...withoutGpus(placement, scaling, pool), ...tooQuick(placement, scaling, pool), ...tooIdle(placement, scaling)]
    : [];
}

function refusal(model: string, key: string, rule: string, message: string): CapacityProblem {
  return { severity: "mandatory", rule, subject: `models.${model}.scaling.${key}`, message: `${model}: ${message}` };
}

function withoutGpus(
  { model: { name }, candidate }: Placement,
  { signals }: ScalingPlan,
  { shape: { gpu } }: PoolRequest,
): CapacityProblem[] {
  const reason =
    candidate.layout.gpusPerNode === 0
      ? `runs on the CPUs of pool "${candidate.pool}": there is no GPU to ask. Write on: [queue], or take a pool with GPUs.`
      : unseen(gpu);
  return signals
    .filter(({ on }) => reason !== undefined && OF_GPUS.includes(on))
    .map(({ on }) => refusal(name, "on", "scaling-signal", `it follows ${on}, and ${reason}`));
}

/** Why no exporter says how much of its cards a model uses; undefined where one does. */
function unseen(gpu: GpuSpec | undefined): string | undefined {
  if (gpu?.slice?.kind === "time-slices") {
    // NVIDIA/cloud-native-docs, gpu-sharing.rst.
    return "takes its GPU in turns with others (sharing.timeSlicing): NVIDIA's exporter names no model of such a card. Write on: [queue], or part the cards by sharing.mig.";
  }
  // ROCm/device-metrics-exporter, docs/configuration/metricslist.md.
  return gpu?.vendor === "amd" && !/^AMD Instinct MI[23]\d\d/.test(gpu.model)
    ? `AMD's exporter reports no such figure of ${gpu.model}. Write on: [queue].`
    : undefined;
}

/** An unreachable target scales to the maximum and stays there. */
function tooQuick(
  { model, guests, candidate }: Placement,
  { signals, max }: ScalingPlan,
  { shape: { gpu, name: shape } }: PoolRequest,
): CapacityProblem[] {
  const target = signals.find(({ on }) => on === "latency")?.target;
  const least =
    gpu && Math.max(0, ...[model, ...guests].map((each) => leastPrefillMs(each, candidate.layout, gpu) ?? 0));
  if (target === undefined || gpu === undefined || least === undefined || target >= least) {
    return [];
  }
  const { gpusPerNode, nodesPerReplica } = candidate.layout;
  const gpus = gpusPerNode * nodesPerReplica;
  const reachable = Math.floor((model.contextTokens * target) / least);
  return [
    refusal(
      model.name,
      "targets.latency",
      "latency-target",
      `it is to answer within ${target} ms, and its longest prompt (${model.contextTokens} tokens) alone takes ${gpus} × ${gpu.model} of ${shape} ${Math.ceil(least)} ms at the peak of the datasheet, before the first token. No number of replicas changes that: all ${max} would run for ever. Write a target of more than ${2 * Math.ceil(least)}, contextTokens: ${Math.max(1, reachable)} or less, or take faster machines.`,
    ),
  ];
}

/** It sleeps again before the first request is answered. */
function tooIdle(
  { model: { name, engine } }: Placement,
  { idleSeconds, coldStartSeconds }: ScalingPlan,
): CapacityProblem[] {
  return idleSeconds === undefined || idleSeconds >= coldStartSeconds
    ? []
    : [
        refusal(
          name,
          "idleSeconds",
          "idle-time",
          `it sleeps after ${idleSeconds} s without requests, and takes ${coldStartSeconds} s to come back on ${engineOf(engine).label}: it would go before it has answered the request that woke it. Write idleSeconds: ${coldStartSeconds} or more, or remove it.`,
        ),
      ];
}
