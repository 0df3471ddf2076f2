/** What schedules hold together: shares of each month, over all of the years. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScheduledReplicas } from "../../../planner/scaling";
import { type Phase, phasesOf, shareOfYear } from "../../../planner/schedule/phases";
import { anyWindow } from "./windows.fixture";

const window = (from: string, to: string, replicas = 1, timezone = "UTC"): ScheduledReplicas => ({
  from,
  to,
  timezone,
  replicas,
});
const office = window("0 8 * * 1-5", "0 18 * * 1-5", 2);
const shareOf = (phases: readonly Phase[], ...replicas: number[]) =>
  phases.find((phase) => phase.replicas.join() === replicas.join())?.shares ?? [];

describe("phasesOf", () => {
  it("is one phase where nothing is scheduled", () => {
    expect(phasesOf([[], []])).toEqual([{ replicas: [0, 0], shares: Array.from({ length: 12 }, () => 1) }]);
  });

  it("has office hours for the same part of every month: over the years each date falls on every day of the week", () => {
    for (const share of shareOf(phasesOf([[office]]), 2)) {
      expect(share).toBeCloseTo((5 * 10) / (7 * 24), 9);
    }
  });

  it("has the largest of windows that overlap, and all of windows side by side", () => {
    const noon = window("0 12 * * 1-5", "0 14 * * 1-5", 5);
    const evening = window("0 17 * * 1-5", "0 20 * * 1-5", 1);
    const phases = phasesOf([[office, noon, evening]]);
    const hours = (replicas: number) => shareOfYear({ replicas: [], shares: shareOf(phases, replicas) }) * 7 * 24;
    expect([hours(5), hours(2), hours(1), hours(0)].map((h) => Math.round(h * 1e6) / 1e6)).toEqual([10, 40, 10, 108]);
  });

  it("knows which zones' windows are open together", () => {
    const [berlin, york] = ["Europe/Berlin", "America/New_York"].map((zone) =>
      window("0 9 * * *", "0 17 * * *", 1, zone),
    );
    const phases = phasesOf([[berlin ?? office], [york ?? office]]);
    // Six hours apart, but for three or four weeks of a year in which they are five.
    const together = shareOfYear({ replicas: [], shares: shareOf(phases, 1, 1) }) * 24;
    expect(together).toBeGreaterThan(2);
    expect(together).toBeLessThan(2.1);
  });

  it("keeps a month's window to its month", () => {
    const shares = shareOf(phasesOf([[window("0 0 1 12 *", "59 23 31 12 *", 3)]]), 3);
    expect(shares[11]).toBeCloseTo(1 - 1 / (31 * 1440), 9);
    expect(Math.max(...shares.slice(0, 11))).toBe(0);
  });

  it("always shares out the whole of each month, with the state without windows first", () => {
    const schedule = fc.array(
      fc.record({ window: anyWindow, replicas: fc.integer({ min: 1, max: 4 }) }).map(({ window: w, replicas }) => ({
        ...w,
        replicas,
      })),
      { maxLength: 2 },
    );
    fc.assert(
      fc.property(fc.array(schedule, { minLength: 1, maxLength: 2 }), (schedules) => {
        const phases = phasesOf(schedules);
        expect(phases[0]?.replicas.every((replicas) => replicas === 0)).toBe(true);
        for (let month = 0; month < 12; month++) {
          expect(phases.reduce((sum, { shares }) => sum + (shares[month] ?? 0), 0)).toBeCloseTo(1, 9);
        }
        const most = phases.flatMap(({ replicas }) => replicas.map((count, i) => [count, i] as const));
        expect(most.every(([count, i]) => count === 0 || schedules[i]?.some((w) => w.replicas === count))).toBe(true);
      }),
      { numRuns: 6 },
    );
  });
});
