import { formatBytes } from "./bytes";
import { chooseLeavers, evictableBytes, type Resident, sumBytes } from "./residency";

/** Limited resource of a worker: memory or disk. */
export interface Room {
  readonly budgetBytes: number;
  /** Used by other than residents: running pulls, leftovers. */
  readonly otherBytes: number;
  readonly residents: readonly Resident[];
}

export interface Candidate {
  readonly worker: string;
  /** What it already has of the model. */
  readonly has: "nothing" | "on_disk" | "loaded";
  readonly memory: Room;
  /** Undefined: no bound. */
  readonly disk?: Room;
}

/** Size of the model. Undefined: unknown, or not known before the pull. */
export interface Need {
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

export type Placement = { readonly worker: string } | { readonly shortage: string };

/**
 * Worker that has the model, preferably loaded; else the one with most room; else with the least
 * recently used victims.
 *
 * @param candidates at least one.
 * @returns the shortage of each candidate if none can make room.
 */
export function choosePlacement(need: Need, candidates: readonly Candidate[]): Placement {
  const fits = candidates.map((candidate) => ({ candidate, fit: fitOf(need, candidate) }));
  const [best] = fits.filter(({ fit }) => fit.shortage === undefined).sort(byPreference);
  if (best !== undefined) {
    return { worker: best.candidate.worker };
  }
  const shortages = fits.map(({ candidate: { worker }, fit }) => `${worker}: ${fit.shortage}`);
  return { shortage: shortages.join("; ") };
}

interface Fit {
  readonly shortage?: string;
  /** Latest use among the models to evict; undefined without any. */
  readonly newestLeaver?: number;
  readonly leavingBytes: number;
  readonly freeMemoryBytes: number;
}

function fitOf({ memoryBytes = 0, diskBytes = 0 }: Need, { has, memory, disk }: Candidate): Fit {
  const inMemory = has === "loaded" ? [] : leaversFor(memory, memoryBytes);
  const onDisk = has === "nothing" && disk !== undefined ? leaversFor(disk, diskBytes) : [];
  const shortages = [
    inMemory === undefined ? `memory: ${shortageOf(memory, memoryBytes)}` : undefined,
    onDisk === undefined && disk !== undefined ? `disk: ${shortageOf(disk, diskBytes)}` : undefined,
  ].filter((shortage) => shortage !== undefined);
  const leavers = [...(inMemory ?? []), ...(onDisk ?? [])];
  return {
    shortage: shortages.length > 0 ? shortages.join(", ") : undefined,
    newestLeaver: leavers.length > 0 ? Math.max(...leavers.map(({ lastUsed }) => lastUsed?.getTime() ?? 0)) : undefined,
    leavingBytes: sumBytes(leavers),
    freeMemoryBytes: freeBytes(memory),
  };
}

type Fitted = { readonly candidate: Candidate; readonly fit: Fit };

function byPreference(a: Fitted, b: Fitted): number {
  const rank = { loaded: 0, on_disk: 1, nothing: 2 } as const;
  return (
    rank[a.candidate.has] - rank[b.candidate.has] ||
    (a.fit.newestLeaver ?? -1) - (b.fit.newestLeaver ?? -1) ||
    a.fit.leavingBytes - b.fit.leavingBytes ||
    b.fit.freeMemoryBytes - a.fit.freeMemoryBytes ||
    a.candidate.worker.localeCompare(b.candidate.worker)
  );
}

/** Negative if use exceeds the budget. */
export function freeBytes({ budgetBytes, otherBytes, residents }: Room): number {
  return budgetBytes - otherBytes - sumBytes(residents);
}

/** Residents to evict so that `bytes` fit; undefined if impossible. */
export function leaversFor(room: Room, bytes: number): readonly Resident[] | undefined {
  return chooseLeavers(room.residents, bytes - freeBytes(room));
}

/** Figures of a refusal, for a message. */
export function shortageOf(room: Room, bytes: number): string {
  const free = Math.max(0, freeBytes(room));
  return (
    `needs ${formatBytes(bytes)}, has ${formatBytes(free)} free and ${formatBytes(evictableBytes(room.residents))} that may ` +
    `leave of ${formatBytes(room.budgetBytes)}`
  );
}
