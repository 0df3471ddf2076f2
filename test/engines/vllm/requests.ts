/** Requests of vLLM's memory for tests. */
import type { VllmRequest } from "../../../engines/vllm/memory/request";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import { memoryRequest as requestOfAny } from "../requests";

/** One request of 8192 tokens on one "80 GB" H100 with vLLM 0.33. */
export function memoryRequest(architecture: ModelArchitecture, changes: Partial<VllmRequest> = {}): VllmRequest {
  return { ...requestOfAny(architecture), ...changes };
}
