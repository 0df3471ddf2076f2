import { lastLines } from "./command";

/** Seconds between two lines about what is still running. */
const HEARTBEAT_SECONDS = 20;

interface Running {
  readonly since: number;
  readonly log: string;
}

/** Prints one line when work starts, one when it ends, and now and then one about what is under way. */
export class Progress {
  private readonly running = new Map<string, Running>();
  private readonly begun = Date.now();

  constructor() {
    setInterval(() => this.heartbeat(), HEARTBEAT_SECONDS * 1000).unref();
  }

  line(text: string): void {
    console.log(`${elapsed(this.begun).padStart(11)}  ${text}`);
  }

  /** Says that work starts, and how long it took once it has succeeded. */
  async during(name: string, log: string, work: () => Promise<void>): Promise<void> {
    const since = Date.now();
    this.running.set(name, { since, log });
    this.line(`… ${name} starts, log ${log}`);
    try {
      await work();
      this.line(`✓ ${name} installed in ${elapsed(since)}`);
    } finally {
      this.running.delete(name);
    }
  }

  private heartbeat(): void {
    for (const [name, { since, log }] of this.running) {
      this.line(`… ${name} for ${elapsed(since)}: ${(lastLines(log, 1)[0] ?? "").slice(0, 80)}`);
    }
  }
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
