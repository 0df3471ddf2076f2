/** Result of `npm run model`: figures, and whether the model starts. */

import { engineOf } from "../../engines";
import { lackOfMemory, layoutProblems as problemsOfLayout, startProblems } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import {
  kvCacheBytesPerToken,
  kvCacheBytesPerTokenBeyondWindow,
  stateElementsPerSequence,
} from "../../planner/memory/kv-cache";
import type { MemoryEstimate } from "../../planner/memory/types";
import { type MemoryVerdict, refused as refusedVerdict } from "../../planner/memory/verdict";
import { assumptionNotes } from "../../planner/model/assumed";
import { formatFor } from "../../planner/model/format-names";
import { countParameters, type ParameterCounts, type WeightSizes, weightBytes } from "../../planner/model/parameters";
import { unknownCache } from "../../planner/problems";
import type { ModelAdvice } from "./advice";

export interface ModelReport {
  readonly request: MemoryRequest;
  readonly estimate: MemoryEstimate;
  readonly parameters: ParameterCounts;
  /** In the requested format. */
  readonly weights: WeightSizes;
  /** Download, GB: differs from the weights where the engine converts at load time. */
  readonly filesGB: number;
  readonly formatName: string;
  readonly kvBytesPerToken: number;
  readonly kvBytesPerTokenBeyondWindow: number;
  readonly stateElements: { readonly convolution: number; readonly recurrent: number };
  /** Why the engine would refuse this layout. */
  readonly layoutProblems: readonly string[];
  /** Why the machine cannot run it, in any layout or load. */
  readonly machineRefusals: readonly string[];
  /** All reasons independent of memory: layout, context, machine. */
  readonly refusals: readonly string[];
  /** With all refusals; `estimate.verdict` covers memory only. */
  readonly verdict: MemoryVerdict;
  /** For certain. */
  readonly fits: boolean;
  /** Why the fit is unknown: the cache size is. */
  readonly unknown?: string;
  /** Why the start is unknown: "edge", decided by the engine. */
  readonly unread?: string;
  /** Notes on the question. */
  readonly notes: readonly string[];
  readonly advice?: ModelAdvice;
}

/** Facts about a request besides memory. */
export interface Circumstances {
  /** Why the machine cannot run it. */
  readonly refused?: readonly string[];
  /** Why the start is unknown. */
  readonly unread?: string;
  readonly notes?: readonly string[];
  /** Files, GB. @default of the requested format */
  readonly filesGB?: number;
}

export function modelReport(
  request: MemoryRequest,
  estimate: MemoryEstimate,
  { refused = [], unread, notes = [], filesGB }: Circumstances = {},
): ModelReport {
  const { architecture, quantization, engine } = request;
  const served = engineOf(engine.name).served?.(request) ?? request;
  const layoutProblems = problemsOfLayout(engine.name, request);
  const lack = lackOfMemory(request, estimate);
  const refusals = [...new Set([...layoutProblems, ...startProblems(request), ...refused])];
  const unknown = architecture.cacheDoubt === undefined ? undefined : unknownCache(architecture);
  const verdict = verdictOf(estimate.verdict, refusals, { unknown, unread });
  return {
    request,
    estimate,
    parameters: countParameters(architecture),
    weights: weightBytes(served.architecture, served.quantization),
    filesGB: filesGB ?? weightBytes(architecture, quantization).checkpointBytes / 1e9,
    formatName: formatFor(served.architecture, served.quantization).name,
    kvBytesPerToken: kvCacheBytesPerToken(served.architecture, served.kvCacheDtype),
    kvBytesPerTokenBeyondWindow: kvCacheBytesPerTokenBeyondWindow(served.architecture, served.kvCacheDtype),
    stateElements: stateElementsPerSequence(architecture),
    layoutProblems,
    machineRefusals: refused,
    refusals,
    verdict,
    fits: verdict.answer === "fits",
    ...(unknown !== undefined && { unknown }),
    ...(unread !== undefined && { unread }),
    notes: [
      ...assumptionNotes(architecture.assumed),
      ...estimate.notes,
      ...(lack && refusals.length === 0 ? [lack] : []),
      ...(verdict.answer === "fits" ? [] : (WAYS_OUT[verdict.decides] ?? [])),
      ...notes,
    ],
  };
}

const LESS_OF_THE_CARD = ["a lower --utilization leaves memory for that, and less to the KV cache"];
/** Fixes where no smaller load helps. */
const WAYS_OUT: Partial<Record<MemoryVerdict["decides"], readonly string[]>> = {
  "free memory": LESS_OF_THE_CARD,
  "graph capture": LESS_OF_THE_CARD,
  "recurrent states": ["a plan writes a max-num-seqs that fits where the file has none"],
};

/** Refusals and unknowns precede memory. */
function verdictOf(
  memory: MemoryVerdict,
  refusals: readonly string[],
  { unknown, unread }: { readonly unknown: string | undefined; readonly unread: string | undefined },
): MemoryVerdict {
  if (refusals.length > 0) {
    return refusedVerdict(memory);
  }
  if (unread !== undefined && memory.answer === "fits") {
    return { ...memory, answer: "edge", decides: "engine", basis: unread };
  }
  return unknown !== undefined && memory.answer === "fits"
    ? { ...memory, answer: "edge", decides: "KV cache", basis: unknown }
    : memory;
}
