import type { CardVerdict } from "../../engines/card";
import { startProblems } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import type { Layout } from "../layouts";
import type { MemoryEstimate } from "../memory/types";
import type { PoolRequest } from "../request";
import type { Fit } from "./types";

export function refuse(pool: PoolRequest, reason: string, remedy?: string): Fit {
  return { refusal: { pool: pool.name, reason, ...(remedy && { remedy }) } };
}

export interface Tried {
  readonly layout: Layout;
  /** All models of the server. */
  readonly estimate: MemoryEstimate;
  /** The host, then its guests. */
  readonly each: readonly MemoryEstimate[];
}

export function lacksMemory(pool: PoolRequest, nearest: Tried, reason: string, remedy?: string): Fit {
  const missingPerGpuGiB = nearest.estimate.shortfallGiB;
  return { refusal: { pool: pool.name, ...nearest, missingPerGpuGiB, reason, ...(remedy && { remedy }) } };
}

/** A layout that fits by memory is no candidate where support by the release is unknown. */
export function orUnread(pool: PoolRequest, verdicts: readonly CardVerdict[], fit: Fit): Fit {
  const unread = verdicts.flatMap((verdict) => verdict.unread ?? [])[0];
  if (unread === undefined) {
    return fit;
  }
  if ("refusal" in fit) {
    const { reason, remedy } = fit.refusal;
    const remedies = [...new Set([remedy, unread.remedy].filter((each) => each !== undefined))];
    return { refusal: { ...fit.refusal, reason: `${reason}; ${unread.reason}`, remedy: remedies.join(", and also ") } };
  }
  const { layout, estimate, each } = fit.candidate;
  return { refusal: { pool: pool.name, layout, estimate, each, ...unread, isUnread: true } };
}

/** Why the models would not start, whatever their layout and memory. */
export function refusalToStart(
  pool: PoolRequest,
  verdicts: readonly CardVerdict[],
  requests: readonly MemoryRequest[],
): Fit | undefined {
  const refusals = verdicts.flatMap((verdict) => verdict.refusals);
  if (refusals.length > 0) {
    const remedies = [...new Set(refusals.map(({ remedy }) => remedy))];
    return refuse(pool, refusals.map(({ reason }) => reason).join("; "), remedies.join(", and "));
  }
  const starts = requests.flatMap(startProblems);
  return starts.length > 0 ? refuse(pool, starts.join("; ")) : undefined;
}
