import type { MemoryRequest } from "../../memory-request";
import { graphsOf, readVllmFlags } from "../flags";
import type { VllmOptions } from "./options";
import type { VllmOrigin } from "./versions";

/** A request with vLLM's flags read. */
export interface VllmRequest extends Omit<MemoryRequest, "engine" | "args" | "maxNumSeqs"> {
  readonly engine: { readonly version: string };
  /** Decides the sampler up to 0.11.0. @default "image" */
  readonly installedFrom?: VllmOrigin;
  /** Flags that change its memory. */
  readonly vllm?: VllmOptions;
}

export function vllmRequest({ args, maxNumSeqs, ...request }: MemoryRequest): VllmRequest {
  return {
    ...request,
    vllm: { ...readVllmFlags(args).options, ...graphsOf(args), ...(maxNumSeqs !== undefined && { maxNumSeqs }) },
  };
}

/** What the driver tells a process of its card, GiB: of the whole card where pods take turns. */
export function seenMemoryGiB({
  gpuMemoryGiB,
  cardMemoryGiB,
}: Pick<VllmRequest, "gpuMemoryGiB" | "cardMemoryGiB">): number {
  return cardMemoryGiB ?? gpuMemoryGiB;
}
