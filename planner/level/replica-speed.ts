/** Speed of one replica in a layout on a machine, or why it is unknown. */
import type { MachineShape } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import type { MemoryRequest } from "../../engines/memory-request";
import type { ModelTask } from "../../engines/served-model";
import type { Layout } from "../layouts";
import type { MemoryEstimate } from "../memory/types";
import type { ModelRequest } from "../request";
import { calibrate } from "../speed/calibration";
import type { SpeedBasis } from "../speed/margin";
import { measurementFor } from "../speed/own-measurement";
import { setupOf } from "../speed/setup";
import type { ReplicaSetup, RequestShape } from "../speed/types";

export interface ReplicaSpeed {
  readonly setup: ReplicaSetup;
  readonly basis: SpeedBasis;
  readonly shape: RequestShape;
}

export type SpeedAnswer =
  | { readonly speed: ReplicaSpeed }
  /** Half a sentence. */
  | { readonly reason: string };

export const GENERATING: readonly ModelTask[] = ["chat", "completion"];

/** Default shape of requests: a chat's. */
export const USUAL_REQUEST: RequestShape = {
  inputTokens: 1000,
  outputTokens: 300,
  sharedPrefixTokens: 0,
  lengthVariation: 1,
};

/** From its traffic, else the usual request, cut to its context. */
export function requestShape({
  traffic,
  contextTokens,
}: Pick<ModelRequest, "traffic" | "contextTokens">): RequestShape {
  if (traffic !== undefined) {
    const { inputTokens, outputTokens, sharedPrefixTokens, lengthVariation } = traffic;
    return { inputTokens, outputTokens, sharedPrefixTokens, lengthVariation };
  }
  const { inputTokens, outputTokens } = USUAL_REQUEST;
  const share = Math.min(1, contextTokens / (inputTokens + outputTokens));
  return {
    ...USUAL_REQUEST,
    inputTokens: Math.max(1, Math.floor(share * inputTokens)),
    outputTokens: Math.max(1, Math.floor(share * outputTokens)),
  };
}

/** @param request memory request of this layout. */
export function replicaSpeed(
  model: ModelRequest,
  machine: MachineShape,
  layout: Layout,
  { request, estimate }: { readonly request: MemoryRequest; readonly estimate: Pick<MemoryEstimate, "kvTokens"> },
): SpeedAnswer {
  if (!GENERATING.includes(model.task)) {
    return { reason: `the speed of ${model.task} is not predicted` };
  }
  if (engineOf(model.engine).answering?.(model) !== undefined) {
    return { reason: "how pods that read prompts and pods that write answers share their work was not measured" };
  }
  const measured = measurementFor(model, machine, layout);
  const answer = setupOf(model, machine, layout, {
    kvTokens: estimate.kvTokens,
    isMeasured: measured !== undefined,
  });
  if ("reason" in answer) {
    return answer;
  }
  const limits = engineOf(model.engine).batchLimits?.(request);
  const { sequences, promptTokens } = limits ?? {};
  const setup: ReplicaSetup = {
    ...answer.setup,
    ...(sequences !== undefined && { maxNumSeqs: sequences }),
    ...(promptTokens !== undefined && { maxBatchedTokens: promptTokens }),
  };
  const shape = requestShape(model);
  return measured === undefined
    ? { speed: { setup, basis: answer.basis, shape } }
    : { speed: { setup: { ...setup, calibration: calibrate(setup, measured.loads) }, basis: "own", shape } };
}
