import { skipMessages, skipPromiseRecords } from "./sdk-internals";
import { explainMissingTrace, stopStackTraces } from "./stack-traces";

/** Each turns off one thing, and returns what turns it on again. */
const savings = [stopStackTraces, skipMessages, skipPromiseRecords] as const;

let running = 0;
let restore: readonly (() => void)[] = [];

/**
 * Runs a program without what the Pulumi SDK does for an engine in another process and for debugging, together more than
 * half of a run's time. Runs may overlap: all of it is back when the last one has ended.
 */
export async function withLeanRuntime<T>(run: () => Promise<T>): Promise<T> {
  running += 1;
  if (running === 1) {
    restore = savings.map((turnOff) => turnOff());
  }
  try {
    return await run();
  } catch (error) {
    explainMissingTrace(error);
    throw error;
  } finally {
    running -= 1;
    if (running === 0) {
      for (const turnOn of restore) {
        turnOn();
      }
    }
  }
}
