import { formatBytes } from "./bytes";
import { chooseLeavers, evictableBytes, type Resident, sumBytes } from "./residency";

/** A bounded kind of room on a worker: its memory, or its disk. */
export interface Room {
  readonly budgetBytes: number;
  /** What is used beside the residents: pulls that run, leftovers of others. */
  readonly otherBytes: number;
  readonly residents: readonly Resident[];
}

export interface Candidate {
  readonly worker: string;
  /** What it has of the model already. */
  readonly has: "nothing" | "on_disk" | "loaded";
  readonly memory: Room;
  /** Undefined: no bound. */
  readonly disk?: Room;
}

/** What the model takes. Undefined: not known before the pull has begun, or not at all. */
export interface Need {
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

export type Placement = { readonly worker: string } | { readonly shortage: string };

/**
 * The worker for a model: one that has it already, loaded before on disk; else the one with the most room; where none
 * has room, the one whose models that must leave were used longest ago.
 *
 * @param candidates at least one.
 * @returns the shortage of every candidate when none can make room.
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
  /** When the last used of the models that must leave was used; undefined when none must. */
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

/** Negative when more is used than granted. */
export function freeBytes({ budgetBytes, otherBytes, residents }: Room): number {
  return budgetBytes - otherBytes - sumBytes(residents);
}

/** Which residents leave so that `bytes` fit; undefined when they cannot. */
export function leaversFor(room: Room, bytes: number): readonly Resident[] | undefined {
  return chooseLeavers(room.residents, bytes - freeBytes(room));
}

/** The numbers of a refusal, for a message. */
export function shortageOf(room: Room, bytes: number): string {
  const free = Math.max(0, freeBytes(room));
  return (
    `needs ${formatBytes(bytes)}, has ${formatBytes(free)} free and ${formatBytes(evictableBytes(room.residents))} that may ` +
    `leave of ${formatBytes(room.budgetBytes)}`
  );
}
