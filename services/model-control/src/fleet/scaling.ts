/** A worker's scale target to zero and back, whatever else scales it. */
import { endsAfter } from "../backends/time-limit";
import { waitUntil } from "../backends/wait";
import { EngineUnavailable, NotSupported } from "../errors";
import type { FleetContext, Worker } from "./context";
import type { AutoscalerState, Scaler } from "./scaler";
import type { Lease } from "./state";
import { type ScaleTarget, sameTarget, targetName } from "./workers";

/** When it starts, Ollama removes parts of pulls that are older (v0.32.15 server/images.go, layerPruneGracePeriod). */
const PRUNED_AFTER_SECONDS = 3600;
/** What is told after its caller has gone may take this long, in milliseconds. */
const LAST_WORD_PATIENCE = 10_000;

/**
 * Only when all workers of the target are stopped: one replica of several cannot be scaled away by its name. What scales the target by
 * demand leaves it alone from then on.
 *
 * @throws EngineUnavailable when it does not stay at zero.
 */
export async function scaleToZero(
  context: FleetContext,
  worker: Worker,
  target: ScaleTarget,
  lease: Lease,
): Promise<void> {
  const { state, times } = context;
  const { signal } = lease;
  const scaler = requireScaler(context);
  const phases = await Promise.all(
    matesOf(context, target).map(async ({ spec }) => (await state.worker(spec.name)).phase),
  );
  if (phases.some((phase) => phase !== "stopped")) {
    return;
  }
  await scaler.tell(target, "stopped", signal);
  // Where nobody is there to hear it, nobody scales either: it is heard before anything else when they come back.
  await waitUntil(async () => (await scaler.autoscaler(target, signal))?.paused ?? true, {
    seconds: times.autoscalerSeconds,
    everySeconds: times.lookSeconds,
    signal,
  });
  const replicas = await scaler.replicas(target, signal);
  if (replicas > 0) {
    await state.setWorker(lease, { ...(await state.worker(worker.spec.name)), replicas });
    await scale(context, worker, target, 0, signal);
  }
  if (target.autoscaler !== undefined) {
    await stayAtZero(context, worker, target, signal);
  }
}

/**
 * Brings a target back that has no replicas, and lets what scales it go on.
 *
 * @returns the replicas that it has now.
 */
export async function scaleBack(
  context: FleetContext,
  worker: Worker,
  target: ScaleTarget,
  { signal }: Lease,
): Promise<number> {
  const { state } = context;
  const scaler = requireScaler(context);
  const autoscaler = await scaler.autoscaler(target, signal);
  const word = autoscaler?.sleeps ? "wanted" : "free";
  // One that is not paused would take the replica away at once.
  if (autoscaler?.paused === false) {
    await scaler.tell(target, word, signal);
  }
  const running = await scaler.replicas(target, signal);
  const replicas = running > 0 ? running : await remembered(context, target);
  if (running === 0) {
    await scale(context, worker, target, replicas, signal);
    await state.forgetLeftovers(worker.spec.name, PRUNED_AFTER_SECONDS);
  }
  await scaler.tell(target, word, signal);
  return replicas;
}

/**
 * Runs `work`, at the end of which the engine answers. What puts the target to sleep then counts from that end, and decides by itself again.
 */
export async function whileWanted<T>(
  { times, ...context }: FleetContext,
  target: ScaleTarget,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const scaler = requireScaler(context);
  try {
    const done = await work();
    const atEnd = await scaler.autoscaler(target, signal);
    if (atEnd?.sleeps && !atEnd.paused) {
      const sawIt = async () => hasSeenDemandSince(atEnd, await scaler.autoscaler(target, signal));
      await waitUntil(sawIt, { seconds: times.autoscalerSeconds, everySeconds: times.lookSeconds, signal });
    }
    return done;
  } finally {
    // Also for a caller who gave up: a model that is wanted for ever would never sleep again.
    await scaler.tell(target, "free", endsAfter(LAST_WORD_PATIENCE));
  }
}

/** Takes back a stop that failed: best effort, for the failure is told. */
export async function letScale(context: FleetContext, target: ScaleTarget, signal: AbortSignal): Promise<void> {
  await context.scaler?.tell(target, "free", signal).catch(() => undefined);
}

/**
 * A HorizontalPodAutoscaler leaves targets at zero alone. But one that had begun to decide before writes its number over a newer one (Kubernetes 1.36,
 * pkg/controller/podautoscaler/horizontal.go, RetryOnConflict around the update of the scale, read 2026-11-23).
 */
async function stayAtZero(
  context: FleetContext,
  worker: Worker,
  target: ScaleTarget,
  signal: AbortSignal,
): Promise<void> {
  const { autoscalerSeconds, settleSeconds, lookSeconds } = context.times;
  const scaler = requireScaler(context);
  let since = Date.now();
  const hasStayed = async () => {
    if ((await scaler.replicas(target, signal)) > 0) {
      await scale(context, worker, target, 0, signal);
      since = Date.now();
    }
    return Date.now() - since >= settleSeconds * 1000;
  };
  const seconds = autoscalerSeconds + settleSeconds;
  if (!(await waitUntil(hasStayed, { seconds, everySeconds: lookSeconds, signal }))) {
    throw new EngineUnavailable(`${targetName(target)} does not stay at zero: something scales it again and again`);
  }
}

function hasSeenDemandSince(before: AutoscalerState, now: AutoscalerState | undefined): boolean {
  return now === undefined || now.paused || now.lastActive !== before.lastActive;
}

async function remembered(context: FleetContext, target: ScaleTarget): Promise<number> {
  const records = await Promise.all(matesOf(context, target).map(({ spec }) => context.state.worker(spec.name)));
  const known = records.flatMap(({ replicas }) => replicas ?? []);
  // The records go with the volume of the queue.
  return Math.max(1, ...(known.length > 0 ? known : [target.replicas ?? 1]));
}

async function scale(
  context: FleetContext,
  { spec }: Worker,
  target: ScaleTarget,
  replicas: number,
  signal: AbortSignal,
): Promise<void> {
  await requireScaler(context).scale(target, replicas, signal);
  context.report({ type: "scaled", worker: spec.name, target: targetName(target), replicas });
}

function matesOf({ workers }: Pick<FleetContext, "workers">, target: ScaleTarget): readonly Worker[] {
  return workers.filter(({ spec }) => spec.scale !== undefined && sameTarget(spec.scale, target));
}

function requireScaler({ scaler }: Pick<FleetContext, "scaler">): Scaler {
  if (scaler !== undefined) {
    return scaler;
  }
  throw new NotSupported("a worker has a scale target, but this API does not run in a Kubernetes cluster");
}
