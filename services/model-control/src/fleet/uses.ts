/**
 * Synchronizes requests with unloads: Ollama reloads a model on request, regardless of its budget.
 */
import { randomUUID } from "node:crypto";
import type { GenerationEvent, GenerationRequest } from "../backends/generation";
import { waitUntil } from "../backends/wait";
import { EngineUnavailable, ModelNotLoaded } from "../errors";
import type { FleetContext, Worker } from "./context";
import type { Lease } from "./state";

/** Heartbeat interval of a request. */
const BEAT_SECONDS = 5;

/**
 * Sends a request to a worker's loaded model, which stays loaded until the end. Records the use.
 *
 * @throws ModelNotLoaded before the engine is called.
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
  // The next heartbeat compensates for a missed one.
  const beat = setInterval(() => state.keepUse(spec.name, model, use).catch(() => undefined), BEAT_SECONDS * 1000);
  try {
    // After registration: later unloads wait for this request.
    const held = (await backend.models(signal)).find((one) => one.name === model);
    if (!held?.loaded) {
      throw new ModelNotLoaded(`${model} has left the memory of ${spec.name}`);
    }
    await used().catch(() => undefined);
    yield* backend.generate({ ...request, model }, signal);
  } finally {
    clearInterval(beat);
    // The use expires anyway.
    await state.endUse(spec.name, model, use).catch(() => undefined);
  }

  /** The observer also records uses, later, so an answer does not fail for it. */
  async function used(): Promise<void> {
    const record = (await state.models(spec.name)).get(model);
    if (record !== undefined) {
      await state.setModels(spec.name, new Map([[model, { ...record, lastUsed: now() }]]), []);
    }
  }
}

/**
 * Unloads the model after running requests; blocks new ones.
 *
 * @throws EngineUnavailable if they do not end in time: the model stays loaded.
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
        `${model} is still in use on ${spec.name} ${times.useSeconds} s after the unload request: it stays loaded`,
      );
    }
    await backend.unload(model, lease.signal);
  } finally {
    // The mark expires with the lease.
    await state.stay(lease, model).catch(() => undefined);
  }
}
