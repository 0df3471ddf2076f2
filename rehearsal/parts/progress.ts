import { lastLines } from "./command";

/** Interval of lines about running work. */
const HEARTBEAT_SECONDS = 20;

interface Running {
  readonly since: number;
  readonly log: string;
}

/** Prints a line when work starts and ends, and periodically in between. */
export class Progress {
  private readonly running = new Map<string, Running>();
  private readonly begun = Date.now();
  private readonly timer = setInterval(() => this.heartbeat(), HEARTBEAT_SECONDS * 1000).unref();

  /** @param write takes whole lines. */
  constructor(private readonly write: (line: string) => void) {}

  line(text: string): void {
    this.write(`${elapsed(this.begun).padStart(11)}  ${text}`);
  }

  /** Reports the start and, on success, the duration. */
  async during(what: string, log: string, work: () => Promise<void>): Promise<void> {
    const since = Date.now();
    this.running.set(what, { since, log });
    this.line(`… ${what} starts, log ${log}`);
    try {
      await work();
      this.line(`✓ ${what} took ${elapsed(since)}`);
    } finally {
      this.running.delete(what);
    }
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private heartbeat(): void {
    for (const [what, { since, log }] of this.running) {
      this.line(`… ${what} for ${elapsed(since)}: ${(lastLines(log, 1)[0] ?? "").slice(0, 80)}`);
    }
  }
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
