/** Keeps a constant number of requests in flight. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "./client";

export interface ClosedLoop {
  readonly inFlight: number;
  /** Ends after these requests or the time. */
  readonly requests: number;
  readonly milliseconds: number;
  /** Between first requests of streams, so that prompts are not read at once. */
  readonly spacingMs: number;
}

export interface LoopResult {
  /** Sent while all streams ran, and finished before the end. */
  readonly samples: readonly Sample[];
  readonly failures: readonly Error[];
}

/** Failures in a row of one stream that end the loop; the wait doubles each time. */
const MOST_FAILURES = 3;
const FIRST_WAIT_MS = 250;

/**
 * Requests running at the end are aborted, so that engines drop them.
 *
 * @param ask makes one request.
 * @param signal ends it early.
 */
export async function closedLoop(
  { inFlight, requests, milliseconds, spacingMs }: ClosedLoop,
  ask: (signal: AbortSignal) => Promise<Sample>,
  signal: AbortSignal,
): Promise<LoopResult> {
  const over = new AbortController();
  const late = setTimeout(() => over.abort(), milliseconds);
  const ended = AbortSignal.any([signal, over.signal]);
  // One per stream.
  setMaxListeners(0, ended);
  const samples: Sample[] = [];
  const failures: Error[] = [];
  let started = 0;
  let allStartedAt = Number.POSITIVE_INFINITY;

  const stream = async (index: number): Promise<void> => {
    await pause(index * spacingMs, ended);
    let inRow = 0;
    for (let own = 0; !ended.aborted; own += 1) {
      if (own === 0) {
        started += 1;
        allStartedAt = started === inFlight ? performance.now() : allStartedAt;
      }
      try {
        const sample = await ask(ended);
        inRow = 0;
        if (sample.sentAt >= allStartedAt && samples.length < requests) {
          samples.push(sample);
        }
        if (samples.length >= requests) {
          over.abort();
        }
      } catch (error) {
        if (ended.aborted) {
          return;
        }
        failures.push(error instanceof Error ? error : new Error(String(error)));
        inRow += 1;
        if (inRow >= MOST_FAILURES) {
          over.abort();
          return;
        }
        await pause(FIRST_WAIT_MS * 2 ** inRow, ended);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: inFlight }, (_, index) => stream(index)));
  } finally {
    clearTimeout(late);
  }
  return { samples, failures };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  }
}
