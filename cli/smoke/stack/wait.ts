import { setTimeout as sleep } from "node:timers/promises";
import type { Readiness } from "./readiness";

/** Grace before failures count: controllers retry, and pods are replaced. */
export const GRACE_SECONDS = 180;
const INTERVAL_SECONDS = 5;

export interface Waiting {
  readonly ask: () => Promise<Readiness>;
  /** Limit for starting. */
  readonly seconds: number;
  /** Called for each intermediate answer. */
  readonly onProgress: (what: string, elapsedSeconds: number) => void;
  /** @default the process's */
  readonly clock?: Clock;
}

/** Seconds. */
export interface Clock {
  readonly now: () => number;
  readonly sleep: (seconds: number) => Promise<void>;
}

const CLOCK: Clock = {
  now: () => performance.now() / 1000,
  sleep: (seconds) => sleep(seconds * 1000),
};

/**
 * Polls until the platform is ready, stays broken, or the time is over; once, if the cluster does
 * not answer at first.
 *
 * @returns the last answer.
 */
export async function waitUntilReady({ ask, seconds, onProgress, clock = CLOCK }: Waiting): Promise<Readiness> {
  const began = clock.now();
  let brokenSince: number | undefined;
  let asked = 0;
  for (;;) {
    const readiness = await ask();
    const elapsed = clock.now() - began;
    const isWrong = readiness.kind === "broken" || readiness.kind === "unreachable";
    brokenSince = isWrong ? (brokenSince ?? elapsed) : undefined;
    const stays = brokenSince !== undefined && elapsed - brokenSince >= GRACE_SECONDS;
    const isFirst = asked === 0;
    asked += 1;
    if (readiness.kind === "ready" || stays || elapsed >= seconds || (isFirst && readiness.kind === "unreachable")) {
      return readiness;
    }
    onProgress(readiness.what, elapsed);
    await clock.sleep(INTERVAL_SECONDS);
  }
}
