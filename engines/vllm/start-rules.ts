/**
 * Models that vLLM refuses regardless of memory and layout. Layouts: divisibility.ts; cards:
 * card-verdict.ts.
 */

import { compareVersions } from "../../names/versions";
import type { MemoryEstimate } from "../../planner/memory/types";
import { isStartCheck } from "../../planner/memory/verdict";
import type { ModelArchitecture } from "../../planner/model/architecture";
import type { VllmRequest } from "./memory/request";
import { schedulerLimits, takesPiecesOfPrompts } from "./memory/scheduler-defaults";
import { oldestVllm, vllmConstants } from "./memory/versions";

/**
 * Since this version max_position_embeddings includes Yarn's factor (config/model.py, in 0.30.0,
 * not in 0.29.0).
 */
const YARN_INCLUDED_FROM = "0.30.0";

/**
 * Longest context without VLLM_ALLOW_LONG_MAX_MODEL_LEN, in tokens (_get_and_verify_max_len in
 * config.py of 0.8.0 and 0.9.2, config/model.py of 0.11.0 to 0.33.0).
 */
export function vllmContextLimit(architecture: ModelArchitecture, version: string): number {
  const { maxContextTokens, scaledContextTokens = maxContextTokens } = architecture;
  return compareVersions(version, YARN_INCLUDED_FROM) < 0 ? scaledContextTokens : maxContextTokens;
}

/**
 * Result of a load that does not fit: below one request's memory vLLM does not start, below all
 * requests' memory the rest waits (v1/core/kv_cache_utils.py of 0.8.0 and 0.19.0,
 * v1/core/kv_cache_planning.py of 0.33.0).
 */
export function vllmLackOfMemory(
  { contextTokens, concurrency }: Pick<VllmRequest, "contextTokens" | "concurrency">,
  { kvPoolGiB, requestCapacity, verdict }: MemoryEstimate,
): string | undefined {
  if (kvPoolGiB <= 0) {
    return "vLLM does not start: no memory is left for the KV cache";
  }
  if (requestCapacity < 1) {
    return `vLLM does not start: ${kvPoolGiB.toFixed(2)} GiB hold no request of ${count(contextTokens)} tokens`;
  }
  // Missing memory is outside the cache's budget: for graphs, in releases that do not include them.
  if (requestCapacity >= concurrency || isStartCheck(verdict.decides)) {
    return undefined;
  }
  return `vLLM starts all the same: ${requestCapacity.toFixed(1)} of the ${count(concurrency)} requests are held at once, the rest wait`;
}

/** Before V1 the engine was a different one. */
export function vllmVersionProblems(version: string): string[] {
  return compareVersions(version, oldestVllm) < 0
    ? [`vLLM ${version} runs the engine before V1, of which no memory is known here: take ${oldestVllm} or newer`]
    : [];
}

/** SchedulerConfig of 0.8.0 to 0.33.0 (verify_max_model_len in config/scheduler.py of 0.33.0). */
export function batchProblems(request: VllmRequest): string[] {
  const { maxNumBatchedTokens, maxNumSeqs } = schedulerLimits(request, vllmConstants(request.engine.version).constants);
  const problems: string[] = [];
  if (maxNumBatchedTokens < request.contextTokens && !takesPiecesOfPrompts(request)) {
    problems.push(
      `max-num-batched-tokens ${count(maxNumBatchedTokens)} is below the context of ${count(request.contextTokens)} tokens, which one pass must hold without chunked prefill: raise it to the context, or lower the context`,
    );
  }
  if (maxNumBatchedTokens < maxNumSeqs) {
    problems.push(
      `max-num-batched-tokens ${count(maxNumBatchedTokens)} is below max-num-seqs ${count(maxNumSeqs)}: each sequence takes one token of a pass or more`,
    );
  }
  return problems;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
