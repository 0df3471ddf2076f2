import type { EngineModel } from "../backends/backend";
import { estimateMemory } from "./memory-need";
import type { Room } from "./placement";
import type { Resident } from "./residency";
import type { ModelRecord, ModelSize, PullRecord } from "./state";

/** Model on a worker, from the engine's list and the stored state. */
export interface HeldModel extends EngineModel {
  readonly lastUsed: Date;
  /** Never unloaded or deleted for room. */
  readonly pinned: boolean;
  /** Never deleted for room, but may be unloaded. @default the value of `pinned` */
  readonly kept?: boolean;
}

export interface Inventory {
  readonly models: readonly HeldModel[];
  readonly pulls: ReadonlyMap<string, PullRecord>;
}

export interface Changes {
  readonly changed: ReadonlyMap<string, ModelRecord>;
  readonly gone: readonly string[];
}

/**
 * Updates to the stored state. A model counts as used when first seen, when its mark changes, and
 * while requests run.
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
 * A worker's memory. Models without a reported size (Triton, vLLM) count as 0.
 *
 * @param stays unpinned model to keep.
 */
export function memoryRoom(inventory: Inventory, budgetBytes: number, stays?: string): Room {
  const loaded = inventory.models.filter((model) => model.loaded);
  const residents = loaded.map(({ name, memoryBytes = 0, lastUsed, pinned, inUse }): Resident => {
    // A busy model can only leave after its requests, so others go first.
    const rank = inUse ? 1 : 0;
    return { model: name, bytes: memoryBytes, lastUsed, stays: pinned || name === stays, rank };
  });
  return { budgetBytes, otherBytes: 0, residents };
}

/**
 * A worker's disk. Shared layers count once per model, so use may be overestimated. Loaded models
 * leave last.
 *
 * @param pulling model that needs the room; its present bytes count once.
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

/** Bytes left by interrupted pulls. */
export function leftoverBytes({ pulls }: Inventory): number {
  return [...pulls.values()].reduce((sum, { running, completedBytes }) => sum + (running ? 0 : completedBytes), 0);
}

/** Expected memory of a model; 0 if unknown. */
export function memoryNeed(size: ModelSize | undefined, diskBytes: number | undefined): number {
  if (size?.memoryBytes !== undefined) {
    return size.memoryBytes;
  }
  const onDisk = diskBytes ?? size?.diskBytes;
  return onDisk === undefined ? 0 : estimateMemory(onDisk);
}
