import { withTimeLimit } from "../backends/time-limit";
import type { Fleet } from "./fleet";
import { type IdleRules, shortestIdleSeconds } from "./idle";

/** Often enough to notice a use before its mark changes again, and to tell models apart that are used by turns. */
const OBSERVE_SECONDS = 15;
const LONGEST_SECONDS = 30;
/** How long whoever asks for a model that sleeps may wait for somebody to notice. */
const WAKE_SECONDS = 1;
/** Longer than an engine may take to end its requests and free the memory. */
const LONGEST_SWEEP_SECONDS = 300;

/** Ends it; what runs then is broken off. */
export type End = () => Promise<void>;

/** Looks at all workers again and again, so that what was used last is known though nobody asks the API. */
export function startObserver(
  fleet: Pick<Fleet, "observe">,
  onError: (error: unknown) => void,
  everySeconds = OBSERVE_SECONDS,
): End {
  const end = new Error("the observer ends");
  return again((signal) => fleet.observe(signal), { everySeconds, longestSeconds: LONGEST_SECONDS, end, onError });
}

/** Has models leave memory that nobody uses, again and again. Does nothing where none ever does. */
export function startSweeper(fleet: Pick<Fleet, "sweep">, rules: IdleRules, onError: (error: unknown) => void): End {
  const everySeconds = sweepSeconds(rules);
  if (everySeconds === undefined) {
    return async () => undefined;
  }
  const end = new Error("the sweeper ends");
  return again((signal) => fleet.sweep(signal), { everySeconds, longestSeconds: LONGEST_SWEEP_SECONDS, end, onError });
}

/** Wakes models that sleep because nobody used them, as soon as somebody asks for them. Does nothing where none ever does. */
export function startWaker(fleet: Pick<Fleet, "wake">, rules: IdleRules, onError: (error: unknown) => void): End {
  if (shortestIdleSeconds(rules) === undefined) {
    return async () => undefined;
  }
  const end = new Error("the waker ends");
  const how = { everySeconds: WAKE_SECONDS, longestSeconds: LONGEST_SWEEP_SECONDS, end, onError };
  return again((signal) => fleet.wake(signal), how);
}

/** A model stays at most a quarter longer than its time, and 15 s. */
export function sweepSeconds(rules: IdleRules): number | undefined {
  const shortest = shortestIdleSeconds(rules);
  return shortest === undefined ? undefined : Math.min(OBSERVE_SECONDS, Math.max(1, shortest / 4));
}

export interface Repetition {
  /** Between the end of one time and the next. */
  readonly everySeconds: number;
  readonly longestSeconds: number;
  /** Reason of the signal that breaks off what runs. */
  readonly end: Error;
  readonly onError: (error: unknown) => void;
}

/** Does some work again and again. @returns ends it. */
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
