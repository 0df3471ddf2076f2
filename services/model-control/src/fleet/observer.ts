import { withTimeLimit } from "../backends/time-limit";
import type { Fleet } from "./fleet";
import { type IdleRules, shortestIdleSeconds } from "./idle";

/** Frequent enough to see each change of a mark, and to order alternating models. */
const OBSERVE_SECONDS = 15;
const LONGEST_SECONDS = 30;
/** Maximum delay until a request for a sleeping model is noticed. */
const WAKE_SECONDS = 1;
/** Exceeds the time of an engine to finish requests and unload. */
const LONGEST_SWEEP_SECONDS = 300;

/** Stops it and aborts the current run. */
export type End = () => Promise<void>;

/** Observes all workers periodically, so that uses outside the API are recorded. */
export function startObserver(
  fleet: Pick<Fleet, "observe">,
  onError: (error: unknown) => void,
  everySeconds = OBSERVE_SECONDS,
): End {
  const end = new Error("the observer ends");
  return again((signal) => fleet.observe(signal), { everySeconds, longestSeconds: LONGEST_SECONDS, end, onError });
}

/** Unloads idle models periodically. No-op if all idle times are `never`. */
export function startSweeper(fleet: Pick<Fleet, "sweep">, rules: IdleRules, onError: (error: unknown) => void): End {
  const everySeconds = sweepSeconds(rules);
  if (everySeconds === undefined) {
    return async () => undefined;
  }
  const end = new Error("the sweeper ends");
  return again((signal) => fleet.sweep(signal), { everySeconds, longestSeconds: LONGEST_SWEEP_SECONDS, end, onError });
}

/** Wakes idle-unloaded models on demand. No-op if all idle times are `never`. */
export function startWaker(fleet: Pick<Fleet, "wake">, rules: IdleRules, onError: (error: unknown) => void): End {
  if (shortestIdleSeconds(rules) === undefined) {
    return async () => undefined;
  }
  const end = new Error("the waker ends");
  const how = { everySeconds: WAKE_SECONDS, longestSeconds: LONGEST_SWEEP_SECONDS, end, onError };
  return again((signal) => fleet.wake(signal), how);
}

/** A model exceeds its idle time by at most a quarter, and 15 s. */
export function sweepSeconds(rules: IdleRules): number | undefined {
  const shortest = shortestIdleSeconds(rules);
  return shortest === undefined ? undefined : Math.min(OBSERVE_SECONDS, Math.max(1, shortest / 4));
}

export interface Repetition {
  /** Pause between runs. */
  readonly everySeconds: number;
  readonly longestSeconds: number;
  /** Abort reason of the current run. */
  readonly end: Error;
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats work periodically.
 * @returns function that stops it.
 */
export function again(
  work: (signal: AbortSignal) => Promise<void>,
  { everySeconds, longestSeconds, end, onError }: Repetition,
): End {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = once();

  async function once(): Promise<void> {
    try {
      await withTimeLimit(ending.signal, longestSeconds, work);
    } catch (error) {
      if (!ending.signal.aborted) {
        onError(error);
      }
    }
    if (ending.signal.aborted) {
      return;
    }
    timer = setTimeout(() => {
      running = once();
    }, everySeconds * 1000);
  }

  return async () => {
    ending.abort(end);
    clearTimeout(timer);
    await running;
  };
}
