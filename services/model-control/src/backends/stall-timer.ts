/** Aborts its signal unless restarted in time. */
export class StallTimer {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  /** @param reason of the abort, from the elapsed seconds. */
  constructor(private readonly reason: (seconds: number) => Error) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  restart(seconds: number): void {
    this.stop();
    this.timer = setTimeout(() => this.controller.abort(this.reason(seconds)), seconds * 1000);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
