/** Scales a worker's target to zero and back, coordinated with its autoscaler. */
import { endsAfter } from "../backends/time-limit";
import { waitUntil } from "../backends/wait";
import { EngineUnavailable, NotSupported } from "../errors";
import type { FleetContext, Worker } from "./context";
import type { AutoscalerState, Scaler } from "./scaler";
import type { Lease } from "./state";
import { type ScaleTarget, sameTarget, targetName } from "./workers";

/**
 * At startup, Ollama removes partial files older than this (v0.32.15 server/images.go,
 * layerPruneGracePeriod).
 */
const PRUNED_AFTER_SECONDS = 3600;
/** Timeout of the final command after its caller ended, in milliseconds. */
const LAST_WORD_PATIENCE = 10_000;

/**
 * Scales only after all workers of the target stopped, as replicas cannot be removed by name.
 * Pauses the autoscaler.
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
  // Without a running autoscaler nothing scales; it reads the pause when it returns.
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
 * Scales up a target at zero and resumes its autoscaler.
 *
 * @returns the current replicas.
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
  // An unpaused one would remove the replica at once.
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
 * Runs `work` until the engine answers; then the autoscaler decides again, and idle time starts.
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
    // Also if the caller gave up: a permanent `wanted` would prevent sleep.
    await scaler.tell(target, "free", endsAfter(LAST_WORD_PATIENCE));
  }
}

/** Reverts a failed stop; best effort, as that failure is reported. */
export async function letScale(context: FleetContext, target: ScaleTarget, signal: AbortSignal): Promise<void> {
  await context.scaler?.tell(target, "free", signal).catch(() => undefined);
}

/**
 * A HorizontalPodAutoscaler ignores targets at zero, but a pending decision may still overwrite the
 * count (Kubernetes 1.36, pkg/controller/podautoscaler/horizontal.go, RetryOnConflict around the
 * update of the scale, read 2026-11-23).
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
    throw new EngineUnavailable(`${targetName(target)} does not stay at zero: another controller scales it up`);
  }
}

function hasSeenDemandSince(before: AutoscalerState, now: AutoscalerState | undefined): boolean {
  return now === undefined || now.paused || now.lastActive !== before.lastActive;
}

async function remembered(context: FleetContext, target: ScaleTarget): Promise<number> {
  const records = await Promise.all(matesOf(context, target).map(({ spec }) => context.state.worker(spec.name)));
  const known = records.flatMap(({ replicas }) => replicas ?? []);
  // Records are lost with the queue's volume.
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
