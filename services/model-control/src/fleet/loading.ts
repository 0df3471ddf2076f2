import { EngineRefusal, NoRoom, UnknownModel } from "../errors";
import { type FleetContext, inspect, requireRunning, touch, type Worker } from "./context";
import type { UnloadReason } from "./events";
import { type HeldModel, type Inventory, memoryNeed, memoryRoom } from "./inventory";
import { freeBytes, leaversFor, type Room, shortageOf } from "./placement";
import { chooseLeavers } from "./residency";
import type { Lease } from "./state";
import { freeMemory } from "./uses";

/** Loads a model from the worker's disk after making room. */
export async function loadModel(
  context: FleetContext,
  worker: Worker,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  const { state, times } = context;
  await state.withLease(worker.spec.name, times.leaseSeconds, signal, async (lease) => {
    requireRunning(worker, await state.worker(worker.spec.name));
    await loadUnderLease(context, worker, model, lease);
  });
}

/**
 * Same, for a caller with the worker's lease.
 *
 * @throws UnknownModel, NoRoom, and the engine's errors.
 */
export async function loadUnderLease(
  context: FleetContext,
  worker: Worker,
  model: string,
  lease: Lease,
): Promise<void> {
  const { signal } = lease;
  const { state, report } = context;
  const { spec, backend } = worker;
  const before = await inspect(context, worker, signal);
  const held = find(before, model);
  if (held === undefined) {
    throw new UnknownModel(`${model} is not on the disk of ${spec.name}: pull it first`);
  }
  if (held.loaded) {
    // Resets the engine's expiry, or the model may be unloaded after its last request.
    if (held.expiresAt !== undefined) {
      await backend.load(model, signal);
    }
    return touch(context, worker, held);
  }

  const size = (await state.sizes()).get(model);
  const need = memoryNeed(size, held.diskBytes);
  const room = memoryRoom(before, spec.memoryBytes);
  await evictFromMemory(context, worker, room, leaversFor(room, need), need, model, lease);
  await backend.load(model, signal);

  const after = await inspect(context, worker, signal);
  const loaded = find(after, model);
  if (!loaded?.loaded) {
    throw new EngineRefusal(`${spec.name} loaded ${model} and unloaded it at once`);
  }
  await touch(context, worker, loaded);
  report({ type: "loaded", worker: spec.name, model, memoryBytes: loaded.memoryBytes });
  if (loaded.memoryBytes === undefined) {
    return;
  }
  await state.setSize(model, { diskBytes: loaded.diskBytes, memoryBytes: loaded.memoryBytes });
  await keepBudget(context, worker, after, loaded, lease);
}

/** Unloads the model, for a caller with the worker's lease. */
export async function unloadModel(
  context: FleetContext,
  worker: Worker,
  model: string,
  reason: UnloadReason,
  lease: Lease,
): Promise<void> {
  await freeMemory(context, worker, model, lease);
  context.report({ type: "unloaded", worker: worker.spec.name, model, reason });
}

/** The model may be larger than estimated: evicts others, or else the model itself. */
async function keepBudget(
  context: FleetContext,
  worker: Worker,
  inventory: Inventory,
  { name, memoryBytes = 0 }: HeldModel,
  lease: Lease,
): Promise<void> {
  const room = memoryRoom(inventory, worker.spec.memoryBytes, name);
  const leavers = chooseLeavers(room.residents, -freeBytes(room));
  const others = { ...room, residents: room.residents.filter(({ model }) => model !== name) };
  try {
    await evictFromMemory(context, worker, others, leavers, memoryBytes, name, lease);
  } catch (error) {
    // Also if another model is busy and cannot be unloaded in time.
    await unloadModel(context, worker, name, "room", lease);
    throw error;
  }
}

async function evictFromMemory(
  context: FleetContext,
  worker: Worker,
  room: Room,
  leavers: ReturnType<typeof leaversFor>,
  need: number,
  madeRoomFor: string,
  lease: Lease,
): Promise<void> {
  const { name } = worker.spec;
  if (leavers === undefined) {
    throw new NoRoom(`no memory for ${madeRoomFor} on ${name}: ${shortageOf(room, need)}`);
  }
  for (const { model, bytes } of leavers) {
    await unloadModel(context, worker, model, "room", lease);
    context.report({ type: "evicted", worker: name, model, from: "memory", bytes, madeRoomFor });
  }
}

function find({ models }: Inventory, model: string): HeldModel | undefined {
  return models.find(({ name }) => name === model);
}
