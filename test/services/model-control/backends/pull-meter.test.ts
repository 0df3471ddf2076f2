import fc from "fast-check";
import { expect, test } from "vitest";
import { PullMeter } from "../../../../services/model-control/src/backends/pull-meter";

test("neither sum ever falls, and completed never passes total", () => {
  const line = fc.record({
    part: fc.constantFrom("a", "b", "c"),
    total: fc.integer({ min: 0, max: 1000 }),
    completed: fc.integer({ min: 0, max: 1200 }),
  });
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const meter = new PullMeter();
      let before = meter.sum;
      for (const { part, total, completed } of lines) {
        const now = meter.update(part, total, completed);
        expect(now.totalBytes).toBeGreaterThanOrEqual(before.totalBytes);
        expect(now.completedBytes).toBeGreaterThanOrEqual(before.completedBytes);
        expect(now.completedBytes).toBeLessThanOrEqual(now.totalBytes);
        before = now;
      }
    }),
  );
});

test("adds up the parts", () => {
  const meter = new PullMeter();
  meter.update("model", 100, 100);
  meter.update("license", 10, 0);
  expect(meter.update("license", 10, 4)).toEqual({ totalBytes: 110, completedBytes: 104 });
});
