import type { RehearsalReport } from "./report/schema";

/** Times the phases of a rehearsal, and tells someone when one starts. */
export class Stopwatch {
  readonly phases: RehearsalReport["phases"] = [];
  private started = Date.now();

  constructor(private readonly onPhase: (name: string) => void) {}

  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const started = Date.now();
    this.onPhase(name);
    const result = await work();
    this.phases.push({ name, seconds: secondsSince(started) });
    return result;
  }

  /** Does what is no phase, and counts in no time. */
  async leaveOut<T>(work: () => Promise<T>): Promise<T> {
    const started = Date.now();
    const result = await work();
    this.started += Date.now() - started;
    return result;
  }

  /** Seconds since the first phase could start, less what was left out. */
  get seconds(): number {
    return secondsSince(this.started);
  }
}

/** Seconds, to a tenth. */
export function secondsSince(started: number): number {
  return Math.round((Date.now() - started) / 100) / 10;
}
