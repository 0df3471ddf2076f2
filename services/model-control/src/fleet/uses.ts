/**
 * Requests for a model, and what makes models leave memory, keep out of each other's way: an engine that is asked for a
 * model that has just left loads it again by itself (Ollama), whatever its budget.
 */
import { randomUUID } from "node:crypto";
import type { GenerationEvent, GenerationRequest } from "../backends/generation";
import { waitUntil } from "../backends/wait";
import { EngineUnavailable, ModelNotLoaded } from "../errors";
import type { FleetContext, Worker } from "./context";
import type { Lease } from "./state";

/** Between signs of life of a request. */
const BEAT_SECONDS = 5;

/**
 * Puts a request to a worker that has the model in memory, where the model stays until the request has ended. The model
 * was used: it is among the last that leave to make room.
 *
 * @throws ModelNotLoaded before anything was asked of the engine.
 */
export async function* generateOn(
  { state, now }: FleetContext,
  { spec, backend }: Worker,
  name: string,
  request: Omit<GenerationRequest, "model">,
  signal: AbortSignal,
): AsyncGenerator<GenerationEvent> {
  const model = backend.nameOf(name);
  const use = randomUUID();
  if (!(await state.beginUse(spec.name, model, use))) {
    throw new ModelNotLoaded(`${model} is leaving the memory of ${spec.name}`);
  }
  // A beat that is missed is made up for by the next one.
  const beat = setInterval(() => state.keepUse(spec.name, model, use).catch(() => undefined), BEAT_SECONDS * 1000);
  try {
    // Only now: what leaves after this waits for us.
    const held = (await backend.models(signal)).find((one) => one.name === model);
    if (!held?.loaded) {
      throw new ModelNotLoaded(`${model} has left the memory of ${spec.name}`);
    }
    await used().catch(() => undefined);
    yield* backend.generate({ ...request, model }, signal);
  } finally {
    clearInterval(beat);
    // Else it ends by itself.
    await state.endUse(spec.name, model, use).catch(() => undefined);
  }

  /** Who looks at the workers notices the use as well, only later: no answer fails for it. */
  async function used(): Promise<void> {
    const record = (await state.models(spec.name)).get(model);
    if (record !== undefined) {
      await state.setModels(spec.name, new Map([[model, { ...record, lastUsed: now() }]]), []);
    }
  }
}

/**
 * Frees the model's memory after the last request of the API for it has ended; new ones do not begin meanwhile.
 *
 * @throws EngineUnavailable where they do not end in time: then it stays.
 */
export async function freeMemory(
  { state, times }: FleetContext,
  { spec, backend }: Worker,
  model: string,
  lease: Lease,
): Promise<void> {
  try {
    const isUnused = await waitUntil(async () => (await state.leave(lease, model)) === 0, {
      seconds: times.useSeconds,
      everySeconds: 0.1,
      signal: lease.signal,
    });
    if (!isUnused) {
      throw new EngineUnavailable(
        `${model} is still in use on ${spec.name} ${times.useSeconds} s after it was told to leave: it stays`,
      );
    }
    await backend.unload(model, lease.signal);
  } finally {
    // Else the mark ends with the lease.
    await state.stay(lease, model).catch(() => undefined);
  }
}
