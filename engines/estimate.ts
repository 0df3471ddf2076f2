import { type ServerEstimate, shareServer } from "../planner/memory/shared-server";
import type { MemoryEstimate } from "../planner/memory/types";
import type { ModelArchitecture } from "../planner/model/architecture";
import { Kept } from "../planner/model/kept";
import { engineOf } from ".";
import type { LayoutRequest, MemoryRequest } from "./memory-request";
import type { EngineName } from "./table";

/** An invalid request; `problems` lists all reasons. */
export class MemoryRequestError extends Error {
  override readonly name = "MemoryRequestError";

  constructor(readonly problems: readonly string[]) {
    super(`The memory request is invalid: ${problems.join("; ")}`);
  }
}

/**
 * Memory per GPU, the KV cache that the engine will report, and whether the load fits. Layout
 * checks: see layoutProblems.
 * @throws MemoryRequestError, UnknownFormatError
 */
export function estimateMemory(request: MemoryRequest): MemoryEstimate {
  const problems = requestProblems(request);
  if (problems.length > 0) {
    throw new MemoryRequestError(problems);
  }
  // Requests repeat for machines with the same card, and in searches for layouts, loads and fixes.
  const { architecture, ...asked } = request;
  return known.get(architecture, JSON.stringify(asked), () => engineOf(request.engine.name).estimate(request));
}

const known = new Kept<ModelArchitecture, string, MemoryEstimate>();

/**
 * Same for models on one server: in total, and each within the others' remainder.
 * @throws MemoryRequestError, UnknownFormatError
 */
export function estimateServer(requests: readonly [MemoryRequest, ...MemoryRequest[]]): ServerEstimate {
  const [first, ...others] = requests;
  const alone = [estimateMemory(first), ...others.map(estimateMemory)] as const;
  const { sharedServer } = engineOf(first.engine.name);
  return shareServer(alone, others.length > 0 ? (sharedServer?.reserveGiB(requests, alone) ?? 0) : 0);
}

/** Reasons with figures; empty if the layout can run. */
export function layoutProblems(name: EngineName, request: LayoutRequest): readonly string[] {
  return engineOf(name).layoutProblems?.(request) ?? [];
}

export function contextLimit(architecture: ModelArchitecture, { name, version }: MemoryRequest["engine"]): number {
  return engineOf(name).contextLimit?.(architecture, version) ?? architecture.maxContextTokens;
}

/** Reasons not to start, apart from memory and layout; empty if none. */
export function startProblems(request: MemoryRequest): string[] {
  const { architecture, contextTokens, engine } = request;
  const most = contextLimit(architecture, engine);
  return [
    ...(contextTokens > most
      ? [`a context of ${count(contextTokens)} tokens is above the model's limit of ${count(most)}`]
      : []),
    ...versionProblems(engine),
    ...(engineOf(engine.name).startProblems?.(request) ?? []),
  ];
}

/** Why this version's memory is unknown: no other machine, layout or load helps. */
export function versionProblems({ name, version }: MemoryRequest["engine"]): readonly string[] {
  return engineOf(name).versionProblems?.(version) ?? [];
}

/** What happens to a replica whose load does not fit; undefined if it fits or is unknown. */
export function lackOfMemory(request: MemoryRequest, estimate: MemoryEstimate): string | undefined {
  return estimate.verdict.answer === "no" ? engineOf(request.engine.name).lackOfMemory?.(request, estimate) : undefined;
}

function requestProblems(request: MemoryRequest): readonly string[] {
  const problems: string[] = [];
  const whole = (name: string, value: number | undefined): void => {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
      problems.push(`${name} must be a whole number from 1, is ${value}`);
    }
  };
  whole("tensorParallel", request.tensorParallel);
  whole("pipelineParallel", request.pipelineParallel);
  whole("contextTokens", request.contextTokens);
  whole("concurrency", request.concurrency);
  whole("maxNumSeqs", request.maxNumSeqs);
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

function count(value: number): string {
  return value.toLocaleString("en-US");
}
