/** Ray Serve computes with vLLM: what is known of a release of Ray's memory, cards and rules is that of the vLLM in it. */
import { bundledIn } from "../../catalog/bundled-engines";
import type { MemoryRequest } from "../memory-request";
import type { ServedModel } from "../served-model";

const releases = bundledIn("ray-llm")?.releases ?? [];
const vllmIn = new Map(releases.map(({ release, brings }) => [release, brings]));

/** The newest vLLM that a known release has stands in where a release is not known: the plan then refuses (versionProblems). */
const newest = releases.at(-1)?.brings ?? "";

/** Version of the vLLM in a release of Ray. */
export function vllmVersionOf(ray: string): string {
  return vllmIn.get(ray) ?? newest;
}

/** Why nothing is known of a release's memory. */
export function rayVersionProblems(version: string): string[] {
  return vllmIn.has(version)
    ? []
    : [`which vLLM Ray ${version} computes with is not known here: take ${[...vllmIn.keys()].join(" or ")}`];
}

/** The same question to the vLLM in it. */
export function toVllm(request: MemoryRequest): MemoryRequest {
  return { ...request, engine: { ...request.engine, version: vllmVersionOf(request.engine.version) } };
}

/** The same model on the vLLM in it. */
export function onVllm(model: ServedModel): ServedModel {
  return { ...model, engineVersion: vllmVersionOf(model.engineVersion) };
}
