/** What vLLM does not start with where pods take turns on a card: the size of its cache is then told to it, and is what the load needs. */
import type { MemoryRequest } from "../memory-request";
import { vllmRequest } from "./memory/request";
import { schedulerLimits } from "./memory/scheduler-defaults";
import { vllmConstants } from "./memory/versions";
import { featureGap } from "./releases";

export function turnsProblems(request: MemoryRequest): string[] {
  if (request.cardMemoryGiB === undefined) {
    return [];
  }
  const gap = featureGap("turns", request.engine.version);
  return [...(gap ? [gap.reason] : []), ...stateProblems(request)];
}

/** Each sequence needs a page where layers are recurrent (resolve_cudagraph_mode_and_sizes in config/compilation.py of 0.33.0). */
function stateProblems(request: MemoryRequest): string[] {
  const { architecture, concurrency, engine } = request;
  const { maxNumSeqs } = schedulerLimits(vllmRequest(request), vllmConstants(engine.version).constants);
  const isRecurrent = architecture.layerSpecs.some(({ mixer }) => mixer.kind === "recurrent");
  return isRecurrent && maxNumSeqs > concurrency
    ? [
        `max-num-seqs is ${maxNumSeqs}, and on a turn the cache holds the states of ${concurrency} requests alone: write vllm.maxNumSeqs: ${concurrency}`,
      ]
    : [];
}
