import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks until the answer is no longer undefined.
 *
 * @returns undefined when the time is over.
 */
export async function poll<T>(
  ask: () => Promise<T | undefined>,
  seconds: number,
  intervalMs: number,
): Promise<T | undefined> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() >= until) {
      return answer;
    }
    await sleep(intervalMs);
  }
}

/** Aborts when it has not been told of progress for some seconds. */
export class StallGuard {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private last: string | undefined;

  constructor(seconds: number) {
    this.timer = setTimeout(() => {
      const where = this.last === undefined ? "" : `, last: ${this.last}`;
      this.controller.abort(new Error(`no progress for ${seconds} s${where}`));
    }, seconds * 1000);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Counts as progress only when it is another text than before. */
  progress(state: string): void {
    if (state === this.last) {
      return;
    }
    this.last = state;
    this.timer.refresh();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
