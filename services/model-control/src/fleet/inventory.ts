import type { EngineModel } from "../backends/backend";
import { estimateMemory } from "./memory-need";
import type { Room } from "./placement";
import type { Resident } from "./residency";
import type { ModelRecord, ModelSize, PullRecord } from "./state";

/** A model on a worker: what the engine tells, and what is remembered. */
export interface HeldModel extends EngineModel {
  readonly lastUsed: Date;
  /** Never leaves, neither memory nor disk, to make room. */
  readonly pinned: boolean;
  /** Never leaves the disk to make room, though it may leave memory. @default what is pinned */
  readonly kept?: boolean;
}

/** Everything on one worker at one moment. */
export interface Inventory {
  readonly models: readonly HeldModel[];
  readonly pulls: ReadonlyMap<string, PullRecord>;
}

export interface Changes {
  readonly changed: ReadonlyMap<string, ModelRecord>;
  readonly gone: readonly string[];
}

/**
 * What the engine's list changes in what is remembered. A model counts as used when it is first seen, whenever its mark
 * has changed, and while requests for it run.
 */
export function changesOf(
  models: readonly EngineModel[],
  records: ReadonlyMap<string, ModelRecord>,
  now: Date,
): Changes {
  const changed = new Map<string, ModelRecord>();
  for (const { name, useMark, diskBytes, inUse = false } of models) {
    const record = records.get(name);
    if (
      record !== undefined &&
      !inUse &&
      (useMark === undefined || useMark === record.useMark) &&
      diskBytes === record.diskBytes
    ) {
      continue;
    }
    const used = inUse || record === undefined || (useMark !== undefined && useMark !== record.useMark);
    changed.set(name, { lastUsed: used ? now : record.lastUsed, useMark: useMark ?? record?.useMark, diskBytes });
  }
  const names = new Set(models.map(({ name }) => name));
  return { changed, gone: [...records.keys()].filter((name) => !names.has(name)) };
}

/**
 * A worker's memory. Models of an engine that does not tell their size (Triton, vLLM) count as nothing.
 *
 * @param stays a model that does not leave, though it is not pinned.
 */
export function memoryRoom(inventory: Inventory, budgetBytes: number, stays?: string): Room {
  const loaded = inventory.models.filter((model) => model.loaded);
  const residents = loaded.map(({ name, memoryBytes = 0, lastUsed, pinned, inUse }): Resident => {
    // One in use leaves only after its requests: others are gone sooner.
    const rank = inUse ? 1 : 0;
    return { model: name, bytes: memoryBytes, lastUsed, stays: pinned || name === stays, rank };
  });
  return { budgetBytes, otherBytes: 0, residents };
}

/**
 * A worker's disk. Models whose parts are shared count each for itself, so it may look fuller than it is. What is loaded
 * leaves last.
 *
 * @param pulling the model that the room is for: what it has there already does not count twice.
 */
export function diskRoom({ models, pulls }: Inventory, budgetBytes: number, pulling?: string): Room {
  const others = models.filter(({ name }) => name !== pulling);
  const residents = others.map(({ name, diskBytes = 0, loaded, lastUsed, pinned, kept = pinned }): Resident => {
    const stays = kept || pulls.get(name)?.running === true;
    return { model: name, bytes: diskBytes, lastUsed, stays, rank: loaded ? 1 : 0 };
  });
  const listed = new Set(models.map(({ name }) => name));
  let otherBytes = 0;
  for (const [model, { running, totalBytes, completedBytes }] of pulls) {
    if (model !== pulling && !listed.has(model)) {
      otherBytes += running ? totalBytes : completedBytes;
    }
  }
  return { budgetBytes, otherBytes, residents };
}

/** Bytes of pulls that ended early. */
export function leftoverBytes({ pulls }: Inventory): number {
  return [...pulls.values()].reduce((sum, { running, completedBytes }) => sum + (running ? 0 : completedBytes), 0);
}

/** Memory that a model will take; 0 when nothing is known. */
export function memoryNeed(size: ModelSize | undefined, diskBytes: number | undefined): number {
  if (size?.memoryBytes !== undefined) {
    return size.memoryBytes;
  }
  const onDisk = diskBytes ?? size?.diskBytes;
  return onDisk === undefined ? 0 : estimateMemory(onDisk);
}
