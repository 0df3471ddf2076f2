import fc from "fast-check";
import type { ScheduleWindow } from "../../../planner/schedule/windows";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney"] as const;

/** `*`, one value, a range, or two of a list. */
function field(least: number, most: number, open = 1): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most });
  const pair = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return fc.oneof(
    { arbitrary: fc.constant("*"), weight: open },
    { arbitrary: value.map(String), weight: 3 },
    { arbitrary: pair.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)), weight: 1 },
    { arbitrary: pair.map(([a, b]) => `${a},${b}`), weight: 1 },
  );
}

const expression = fc
  .tuple(fc.integer({ min: 0, max: 59 }).map(String), field(0, 23), field(1, 28, 6), field(1, 12, 12), field(0, 6, 3))
  .map((fields) => fields.join(" "));

/** A window of valid expressions, with another end than begin. */
export const anyWindow: fc.Arbitrary<ScheduleWindow> = fc
  .record({ from: expression, to: expression, timezone: fc.constantFrom(...ZONES) })
  .filter(({ from, to }) => from !== to);
