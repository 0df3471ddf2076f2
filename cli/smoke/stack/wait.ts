import { setTimeout as sleep } from "node:timers/promises";
import type { Readiness } from "./readiness";

/** How long something may look broken before it is: controllers try again, and pods are replaced. */
export const GRACE_SECONDS = 180;
const INTERVAL_SECONDS = 5;

export interface Waiting {
  readonly ask: () => Promise<Readiness>;
  /** How long to wait for what starts. */
  readonly seconds: number;
  /** Called with each answer that is not the last. */
  readonly onProgress: (what: string, elapsedSeconds: number) => void;
  /** @default of the process */
  readonly clock?: Clock;
}

/** Time, in seconds. */
export interface Clock {
  readonly now: () => number;
  readonly sleep: (seconds: number) => Promise<void>;
}

const CLOCK: Clock = {
  now: () => performance.now() / 1000,
  sleep: (seconds) => sleep(seconds * 1000),
};

/**
 * Asks until the platform is ready, has been broken for a while, or the time is over; once, where the cluster does not answer at first.
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
