/** What the speed model says of a measured row, in the row's own unit. */
import type { ConstantTable } from "../../../planner/speed/constants";
import { atRate, capacity, closedLoop, offline } from "../../../planner/speed/load";
import type { SpeedQuestion } from "../../../planner/speed/margin";
import { prefillMs, promptWorkMs } from "../../../planner/speed/prefill";
import { engineMs, launchedMs, stepMs } from "../../../planner/speed/step";
import type { ReplicaSetup, SpeedLevel } from "../../../planner/speed/types";
import type { Resolved } from "./resolve";

/** Source of the rows that were measured for this project, with a client on the engine's own machine. */
const OWN = "vllm-h100";

/** What a row asks; undefined for metrics and loads that the model has no answer to. */
export function questionOf({ row: { metric, load, source } }: Resolved): SpeedQuestion | undefined {
  if (metric.startsWith("ttft_ms")) {
    if (source === OWN) {
      return "firstToken";
    }
    return load.kind === "batch" ? "prefill" : load.kind === "clients" || load.kind === "rate" ? "ttft" : undefined;
  }
  if (metric.startsWith("tpot_ms")) {
    return load.kind === "batch" || load.kind === "clients" || load.kind === "rate" ? "tpot" : undefined;
  }
  switch (metric) {
    case "decode_tokens_per_s":
      return "decode";
    case "prefill_tokens_per_s":
      return "prefill";
    case "output_tokens_per_s":
      return "tokensPerSecond";
    case "e2e_s_mean":
      return load.kind === "batch" ? "tokensPerSecond" : undefined;
    case "requests_per_s_at_slo":
      return "requestsAtLevel";
    default:
      return undefined;
  }
}

/** @returns undefined where a row lacks what its metric needs */
export function predict(resolved: Resolved, constants: ConstantTable): number | undefined {
  const { row, keys, shape, replicas } = resolved;
  const { load, metric } = row;
  const setup: ReplicaSetup = { ...resolved.setup, coefficients: constants.resolve(keys) };
  const p99 = metric.endsWith("p99");
  switch (questionOf(resolved)) {
    case "prefill":
      return metric === "prefill_tokens_per_s"
        ? (1e3 * shape.inputTokens) / prefillMs(setup, shape.inputTokens)
        : batchPromptMs(setup, shape.inputTokens, load.kind === "batch" ? load.requests / replicas : 1);
    case "decode":
      return 1e3 / stepMs(setup, { sequences: 1, contextTokens: shape.inputTokens + shape.outputTokens / 2 }).totalMs;
    case "tpot":
      return tpotOf(setup, resolved, p99);
    case "ttft":
    case "firstToken":
      return ttftOf(setup, resolved, p99);
    case "requestsAtLevel": {
      const level = levelOf(row.notes);
      return level && replicas * capacity(setup, shape, level).requestsPerSecond;
    }
    case "tokensPerSecond":
      return throughputOf(setup, resolved);
    default:
      return undefined;
  }
}

function tpotOf(setup: ReplicaSetup, { row, shape, replicas }: Resolved, p99: boolean): number | undefined {
  const { load } = row;
  switch (load.kind) {
    case "batch":
      return stepMs(setup, {
        sequences: load.requests / replicas,
        contextTokens: shape.inputTokens + shape.outputTokens / 2,
      }).totalMs;
    case "clients":
      return closedLoop(setup, shape, load.requests / replicas).tpotMs * (p99 ? setup.coefficients.tpotP99 : 1);
    case "rate": {
      const atLimit = levelOfRound(row);
      if (atLimit !== undefined) {
        const { sequences } = capacity(setup, shape, atLimit);
        return closedLoop(setup, shape, Math.max(1, sequences)).tpotMs * (p99 ? setup.coefficients.tpotP99 : 1);
      }
      return atRate(setup, shape, publishedRate(setup, shape, load.perSecond / replicas)).tpotMs[p99 ? "p99" : "mean"];
    }
    default:
      return undefined;
  }
}

/**
 * Near its limit a replica's latencies follow from how near, which no prediction knows: where a run that was published
 * lies beyond, it is answered as one close to it.
 */
function publishedRate(setup: ReplicaSetup, shape: Resolved["shape"], perSecond: number): number {
  return Math.min(perSecond, 0.97 * offline(setup, shape).requestsPerSecond);
}

function ttftOf(setup: ReplicaSetup, { row, shape, replicas }: Resolved, p99: boolean): number | undefined {
  const { load, source } = row;
  if (load.kind === "clients") {
    const client =
      source === "inferencex" || source === "aic-silicon" || source === "" ? setup.coefficients.clientMs : 0;
    return client + closedLoop(setup, shape, load.requests / replicas).ttftMs;
  }
  if (load.kind !== "rate") {
    return undefined;
  }
  return atRate(setup, shape, publishedRate(setup, shape, load.perSecond / replicas)).ttftMs[p99 ? "p99" : "mean"];
}

function throughputOf(setup: ReplicaSetup, { row, shape, replicas }: Resolved): number | undefined {
  const { load, metric } = row;
  switch (load.kind) {
    case "batch": {
      const seconds = batchSeconds(setup, shape, load.requests / replicas);
      return metric === "e2e_s_mean" ? seconds : (load.requests * shape.outputTokens) / seconds;
    }
    case "clients":
      return replicas * closedLoop(setup, shape, load.requests / replicas).tokensPerSecond;
    case "max":
      return replicas * offline(setup, shape).tokensPerSecond;
    case "rate":
      return Math.min(load.perSecond * shape.outputTokens, replicas * offline(setup, shape).tokensPerSecond);
    case "server":
      // MLPerf's limits for small chat models; a row of this kind states none.
      return (
        replicas *
        capacity(setup, shape, { ttftMs: 2000, tpotMs: 100, percentile: 99 }).requestsPerSecond *
        shape.outputTokens
      );
    default:
      return undefined;
  }
}

/** All prompts of a batch that starts together. */
function batchPromptMs(setup: ReplicaSetup, tokens: number, prompts: number): number {
  return launchedMs(setup, promptWorkMs(setup, tokens, 0, prompts)) + engineMs(setup, prompts);
}

/** Seconds that a batch of requests takes which start together: several times over where the cache does not hold all. */
function batchSeconds(setup: ReplicaSetup, { inputTokens, outputTokens }: Resolved["shape"], requests: number): number {
  const room = Math.max(1, Math.min(requests, setup.kvTokens / (inputTokens + outputTokens / 2)));
  const decode = stepMs(setup, { sequences: room, contextTokens: inputTokens + outputTokens / 2 }).totalMs;
  return ((requests / room) * (batchPromptMs(setup, inputTokens, room) + (outputTokens - 1) * decode)) / 1e3;
}

/**
 * MLPerf publishes the highest rate that kept to a round's limits: latencies of such a run are those at the limits, whatever a
 * prediction makes of the rate. Limits by scenario and model: mlcommons/inference_policies, inference_rules.adoc, rounds 4.1 and 5.1.
 */
function levelOfRound({ source, notes, model }: Resolved["row"]): SpeedLevel | undefined {
  const scenario = source === "mlperf" ? /(Server|Interactive)\W*$/.exec(notes)?.[1] : undefined;
  const [, ttftMs, tpotMs] =
    MLPERF_LIMITS.find(([key]) => key === `${scenario} ${model}`) ??
    MLPERF_LIMITS.find(([key]) => key === scenario) ??
    [];
  return ttftMs === undefined || tpotMs === undefined ? undefined : { ttftMs, tpotMs, percentile: 99 };
}

const MLPERF_LIMITS: readonly (readonly [scenario: string, ttftMs: number, tpotMs: number])[] = [
  ["Server Llama-2-70B", 2000, 200],
  ["Interactive Llama-2-70B", 450, 40],
  ["Server Llama-3.1-405B", 6000, 175],
  ["Interactive Llama-3.1-405B", 4500, 80],
  ["Server Mixtral-8x7B", 2000, 200],
  ["Server Llama-3.1-8B", 2000, 100],
  ["Interactive Llama-3.1-8B", 500, 30],
  ["Server DeepSeek-R1", 2000, 80],
  ["Server", 2000, 200],
  ["Interactive", 450, 40],
];

/** Limits in a note: "p99 TTFT <= 2000 ms and p99 TPOT <= 200 ms". */
function levelOf(notes: string): { ttftMs: number; tpotMs: number; percentile: number } | undefined {
  const [, ttft, tpot] = /TTFT <= (\d+) ms and p99 TPOT <= (\d+) ms/.exec(notes) ?? [];
  return ttft === undefined || tpot === undefined
    ? undefined
    : { ttftMs: Number(ttft), tpotMs: Number(tpot), percentile: 99 };
}
