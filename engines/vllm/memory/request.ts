import type { MemoryRequest } from "../../memory-request";
import { graphsOf, readVllmFlags } from "../flags";
import type { VllmOptions } from "./options";
import type { VllmOrigin } from "./versions";

export interface VllmRequest extends Omit<MemoryRequest, "engine" | "args" | "maxNumSeqs"> {
  readonly engine: { readonly version: string };
  /** Determines the sampler up to 0.11.0. @default "image" */
  readonly installedFrom?: VllmOrigin;
  readonly vllm?: VllmOptions;
}

export function vllmRequest({ args, maxNumSeqs, ...request }: MemoryRequest): VllmRequest {
  return {
    ...request,
    vllm: { ...readVllmFlags(args).options, ...graphsOf(args), ...(maxNumSeqs !== undefined && { maxNumSeqs }) },
  };
}

/** Card memory visible to a process, GiB: the whole card with time slicing. */
export function seenMemoryGiB({
  gpuMemoryGiB,
  cardMemoryGiB,
}: Pick<VllmRequest, "gpuMemoryGiB" | "cardMemoryGiB">): number {
  return cardMemoryGiB ?? gpuMemoryGiB;
}
