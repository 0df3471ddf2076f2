import { skipMessages, skipPromiseRecords } from "./sdk-internals";
import { explainMissingTrace, stopStackTraces } from "./stack-traces";

/** Each disables a feature and returns a function that restores it. */
const savings = [stopStackTraces, skipMessages, skipPromiseRecords] as const;

let running = 0;
let restore: readonly (() => void)[] = [];

/**
 * Runs a program without the Pulumi SDK's engine communication and debugging, which take more than
 * half of the time. Concurrent runs are supported; the last one restores the SDK.
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
