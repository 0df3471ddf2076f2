import { vi } from "vitest";

/** Deadlines pass when a server calls what this returns, not when a slow machine has taken its time: one test at a time. */
export function stoppedTimers(): () => void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return () => void vi.advanceTimersByTime(300_000);
}

/** The same for those who look at the clock after each answer. */
export function stoppedClock(): () => void {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 0.5;
    return now;
  });
  return () => {
    now += 300_000;
  };
}
