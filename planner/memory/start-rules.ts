/**
 * What vLLM refuses to start, whatever memory there is and however the GPUs are laid out. Layouts are in divisibility.ts,
 * cards in planner/hardware.
 */
import type { ModelArchitecture } from "../model/architecture";
import { compareVersions, oldestVllm, vllmConstants } from "./engines";
import { schedulerLimits, takesPiecesOfPrompts } from "./scheduler-defaults";
import type { MemoryRequest } from "./types";

/** Yarn's factor was multiplied in before: max_position_embeddings has it (config/model.py, in 0.30.0, not in 0.29.0). */
const yarnIncludedFrom = "0.30.0";

/**
 * The longest context that the engine accepts without VLLM_ALLOW_LONG_MAX_MODEL_LEN, in tokens
 * (_get_and_verify_max_len in config.py of 0.8.0 and 0.9.2, config/model.py of 0.11.0 to 0.33.0).
 */
export function contextLimit(architecture: ModelArchitecture, { name, version }: MemoryRequest["engine"]): number {
  const { maxContextTokens, scaledContextTokens = maxContextTokens } = architecture;
  return name === "vllm" && compareVersions(version, yarnIncludedFrom) < 0 ? scaledContextTokens : maxContextTokens;
}

/** Every reason why the engine would not start, each with its numbers and what would mend it; empty when it starts. */
export function startProblems(request: MemoryRequest): string[] {
  return [
    ...contextProblems(request),
    ...(request.engine.name === "vllm" ? [...versionProblems(request), ...batchProblems(request)] : []),
  ];
}

function contextProblems({ architecture, contextTokens, engine }: MemoryRequest): string[] {
  const most = contextLimit(architecture, engine);
  return contextTokens > most
    ? [`a context of ${count(contextTokens)} tokens is above the model's limit of ${count(most)}`]
    : [];
}

function versionProblems({ engine: { version } }: MemoryRequest): string[] {
  return compareVersions(version, oldestVllm) < 0
    ? [`vLLM ${version} runs the engine before V1, of which no memory is known here: take ${oldestVllm} or newer`]
    : [];
}

/** SchedulerConfig of 0.8.0 to 0.33.0 (verify_max_model_len in config/scheduler.py of 0.33.0). */
function batchProblems(request: MemoryRequest): string[] {
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
