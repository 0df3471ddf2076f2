import { EngineUnavailable } from "../errors";
import type { PullProgress } from "./backend";

/** Ollama's largest models have about a hundred. */
const MOST_PARTS = 1_000;

const NOTHING: PullProgress = { totalBytes: 0, completedBytes: 0 };

/**
 * Sums the progress of layers, reported separately. A retried piece lowers its layer's count, but
 * not the sum.
 */
export class PullMeter {
  private readonly parts = new Map<string, PullProgress>();
  private all = NOTHING;

  get sum(): PullProgress {
    return this.all;
  }

  /**
   * @returns the sum.
   * @throws EngineUnavailable above the maximum number of layers.
   */
  update(part: string, totalBytes: number, completedBytes: number): PullProgress {
    const before = this.parts.get(part);
    if (before === undefined && this.parts.size >= MOST_PARTS) {
      throw new EngineUnavailable(`the pull reports more than ${MOST_PARTS} layers`);
    }
    const { totalBytes: knownTotal, completedBytes: knownCompleted } = before ?? NOTHING;
    const total = Math.max(knownTotal, totalBytes);
    const completed = Math.min(total, Math.max(knownCompleted, completedBytes));
    this.parts.set(part, { totalBytes: total, completedBytes: completed });
    this.all = {
      totalBytes: this.all.totalBytes + total - knownTotal,
      completedBytes: this.all.completedBytes + completed - knownCompleted,
    };
    return this.all;
  }
}
