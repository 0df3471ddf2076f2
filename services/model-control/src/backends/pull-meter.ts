import type { PullProgress } from "./backend";

/**
 * Sums the progress of a model's parts, which the engine reports one by one. An engine that repeats a piece of a part
 * takes its bytes back; the sum does not.
 */
export class PullMeter {
  private readonly parts = new Map<string, PullProgress>();

  /** @returns the sum over all parts that are known by now. */
  update(part: string, totalBytes: number, completedBytes: number): PullProgress {
    const before = this.parts.get(part) ?? { totalBytes: 0, completedBytes: 0 };
    const total = Math.max(before.totalBytes, totalBytes);
    this.parts.set(part, {
      totalBytes: total,
      completedBytes: Math.min(total, Math.max(before.completedBytes, completedBytes)),
    });
    return this.sum();
  }

  sum(): PullProgress {
    let totalBytes = 0;
    let completedBytes = 0;
    for (const part of this.parts.values()) {
      totalBytes += part.totalBytes;
      completedBytes += part.completedBytes;
    }
    return { totalBytes, completedBytes };
  }
}
