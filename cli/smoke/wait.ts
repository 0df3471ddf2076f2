import { setTimeout as sleep } from "node:timers/promises";

/**
 * Polls until the answer is defined.
 *
 * @returns undefined at the timeout.
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

/** Aborts without progress for some seconds. */
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

  /** Only new texts count as progress. */
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
