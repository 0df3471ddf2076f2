import type { RehearsalReport } from "./report/schema";

/** Times phases of a rehearsal and reports their start. */
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

  /** Runs work that counts in no phase and no total. */
  async leaveOut<T>(work: () => Promise<T>): Promise<T> {
    const started = Date.now();
    const result = await work();
    this.started += Date.now() - started;
    return result;
  }

  /** Seconds since the start, without omitted work. */
  get seconds(): number {
    return secondsSince(this.started);
  }
}

/** Seconds, rounded to tenths. */
export function secondsSince(started: number): number {
  return Math.round((Date.now() - started) / 100) / 10;
}
