import { expect, it } from "vitest";
import { firstStartSeconds } from "../../planner/first-start";
import { sharedRun } from "../stacks/run";

it("is the downloads of all models over the one link, and the slowest start", async () => {
  const { plan } = await sharedRun("edge-nvidia", {});
  const filesGB = plan.models.reduce((sum, { weightsGB }) => sum + weightsGB, 0);
  const slowest = Math.max(...plan.models.map(({ startupBudgetSeconds }) => startupBudgetSeconds));
  const half = firstStartSeconds(plan, 0.5);
  // Over 0.5 Gbit/s, at 0.6 of it, twice what is expected.
  expect(half).toBeGreaterThan(filesGB / 0.0375 / 0.5 + slowest);
  expect(half).toBeLessThan(2 * 3600);
  const whole = firstStartSeconds(plan, 1);
  expect(whole).toBeLessThan(half);
  // What unpacks an image is as slow on any link.
  expect(whole - slowest).toBeGreaterThanOrEqual((half - slowest) / 2);
  expect(firstStartSeconds({ models: [] }, 1)).toBe(0);
});
