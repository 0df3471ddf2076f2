/** Memory, cards and rules of a Ray release are those of its vLLM. */
import { bundledIn } from "../../catalog/bundled-engines";
import type { MemoryRequest } from "../memory-request";
import type { ServedModel } from "../served-model";

const releases = bundledIn("ray-llm")?.releases ?? [];
const vllmIn = new Map(releases.map(({ release, brings }) => [release, brings]));

/** For unknown releases, the newest known vLLM; the plan then fails (versionProblems). */
const newest = releases.at(-1)?.brings ?? "";

export function vllmVersionOf(ray: string): string {
  return vllmIn.get(ray) ?? newest;
}

export function rayVersionProblems(version: string): string[] {
  return vllmIn.has(version)
    ? []
    : [`which vLLM Ray ${version} computes with is not known here: take ${[...vllmIn.keys()].join(" or ")}`];
}

/** Same request for its vLLM. */
export function toVllm(request: MemoryRequest): MemoryRequest {
  return { ...request, engine: { ...request.engine, version: vllmVersionOf(request.engine.version) } };
}

/** Same model on its vLLM. */
export function onVllm(model: ServedModel): ServedModel {
  return { ...model, engineVersion: vllmVersionOf(model.engineVersion) };
}
