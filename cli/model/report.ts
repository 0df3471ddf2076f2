/** What `npm run model` found out about a model on a machine: the figures, and whether it starts. */

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
  /** In the format that is asked for. */
  readonly weights: WeightSizes;
  /** What is downloaded, GB: more or less than the weights where the engine makes their format when it loads them. */
  readonly filesGB: number;
  readonly formatName: string;
  readonly kvBytesPerToken: number;
  readonly kvBytesPerTokenBeyondWindow: number;
  readonly stateElements: { readonly convolution: number; readonly recurrent: number };
  /** Why the engine would refuse this layout. */
  readonly layoutProblems: readonly string[];
  /** Why the machine cannot run it, whatever the layout and the load. */
  readonly machineRefusals: readonly string[];
  /** Every reason why it does not start, whatever memory there is: the layout's, the context's, the machine's. */
  readonly refusals: readonly string[];
  /** With all refusals; `estimate.verdict` knows the memory alone. */
  readonly verdict: MemoryVerdict;
  /** For sure. */
  readonly fits: boolean;
  /** Why nobody can say whether it fits: the size of its cache is not known. */
  readonly unknown?: string;
  /** Why it is unknown whether it starts: an answer "edge" that the engine decides. */
  readonly unread?: string;
  /** Remarks on the question. */
  readonly notes: readonly string[];
  readonly advice?: ModelAdvice;
}

/** What is known of a request besides its memory. */
export interface Circumstances {
  /** Why the machine cannot run it. */
  readonly refused?: readonly string[];
  /** Why it is unknown whether it starts there. */
  readonly unread?: string;
  readonly notes?: readonly string[];
  /** Its files, GB; of the format that is asked for when undefined. */
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
/** What to try where no smaller load helps. */
const WAYS_OUT: Partial<Record<MemoryVerdict["decides"], readonly string[]>> = {
  "free memory": LESS_OF_THE_CARD,
  "graph capture": LESS_OF_THE_CARD,
  "recurrent states": ["a plan writes a max-num-seqs that fits where the file has none"],
};

/** What is known besides the memory comes first: a refusal, or that nobody can say. */
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
