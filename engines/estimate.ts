/** Entry point of the memory planner. */

import type { MemoryEstimate, MemoryRequest } from "../planner/memory/types";
import { estimateOllama } from "./ollama/memory";
import { estimateVllm } from "./vllm/memory/estimate";

export type { MemoryBudget, MemoryEstimate, MemoryRequest, StageEstimate } from "../planner/memory/types";

/** A request whose numbers make no sense; `problems` lists all of them. */
export class MemoryRequestError extends Error {
  override readonly name = "MemoryRequestError";

  constructor(readonly problems: readonly string[]) {
    super(`The memory request is invalid: ${problems.join("; ")}`);
  }
}

/**
 * Estimates memory per GPU, the KV cache the engine will report and whether the load fits.
 * Divisibility is not checked here (see divisibility.ts).
 * @throws MemoryRequestError, UnknownFormatError
 */
export function estimateMemory(request: MemoryRequest): MemoryEstimate {
  const problems = requestProblems(request);
  if (problems.length > 0) throw new MemoryRequestError(problems);
  return request.engine.name === "ollama" ? estimateOllama(request) : estimateVllm(request);
}

function requestProblems(request: MemoryRequest): readonly string[] {
  const problems: string[] = [];
  const whole = (name: string, value: number | undefined): void => {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1))
      problems.push(`${name} must be a whole number from 1, is ${value}`);
  };
  whole("tensorParallel", request.tensorParallel);
  whole("pipelineParallel", request.pipelineParallel);
  whole("contextTokens", request.contextTokens);
  whole("concurrency", request.concurrency);
  whole("maxNumSeqs", request.vllm?.maxNumSeqs);
  whole("maxNumBatchedTokens", request.vllm?.maxNumBatchedTokens);
  if (!(request.gpuMemoryGiB > 0 && Number.isFinite(request.gpuMemoryGiB))) {
    problems.push(`gpuMemoryGiB must be above 0, is ${request.gpuMemoryGiB}`);
  }
  const { utilization } = request;
  if (utilization !== undefined && !(utilization > 0 && utilization <= 1)) {
    problems.push(`utilization must be above 0 and at most 1, is ${utilization}`);
  }
  if (request.pipelineParallel > request.architecture.layers) {
    problems.push(
      `pipelineParallel ${request.pipelineParallel} exceeds the model's ${request.architecture.layers} layers`,
    );
  }
  return problems;
}
