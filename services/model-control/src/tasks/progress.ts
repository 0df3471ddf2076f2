import type { PullProgress } from "../backends/backend";

/** Percentage of progress for fetching; loading has the rest. */
const FETCHED = 95;

/** Percentage of a pull, from its bytes. */
export function percentOf({ totalBytes, completedBytes }: PullProgress): number {
  if (totalBytes <= 0) {
    return 0;
  }
  return Math.floor((Math.min(completedBytes, totalBytes) / totalBytes) * FETCHED);
}

/** Percentage fetched, from a task's progress. */
export function percentFetched(progress: number): number {
  return Math.floor((Math.min(progress, FETCHED) / FETCHED) * 100);
}

/**
 * Reports progress only when it grows, at most once per `intervalMs`: engines report far more
 * often.
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
