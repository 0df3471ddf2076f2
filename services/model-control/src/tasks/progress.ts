import type { PullProgress } from "../backends/backend";

/** The part of a task's progress that fetching takes; loading into memory takes the rest. */
const FETCHED = 95;

/** Per cent of a pull, for the bytes that are there. */
export function percentOf({ totalBytes, completedBytes }: PullProgress): number {
  if (totalBytes <= 0) {
    return 0;
  }
  return Math.floor((Math.min(completedBytes, totalBytes) / totalBytes) * FETCHED);
}

/** Per cent of a model that are fetched, by a task's own progress. */
export function percentFetched(progress: number): number {
  return Math.floor((Math.min(progress, FETCHED) / FETCHED) * 100);
}

/**
 * Tells progress on, but only where it grows, and at most once in `intervalMs`: an engine reports far more often than
 * anybody asks. What comes too soon is told with the next report after the interval.
 */
export class ProgressTeller {
  private told: number;
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly tell: (percent: number) => void,
    options: { readonly start: number; readonly intervalMs: number; readonly now?: () => number },
  ) {
    this.told = options.start;
    this.intervalMs = options.intervalMs;
    this.now = options.now ?? Date.now;
  }

  private readonly intervalMs: number;
  private readonly now: () => number;

  report(progress: PullProgress): void {
    const percent = percentOf(progress);
    const now = this.now();
    if (percent <= this.told || now - this.toldAt < this.intervalMs) {
      return;
    }
    this.told = percent;
    this.toldAt = now;
    this.tell(percent);
  }
}
