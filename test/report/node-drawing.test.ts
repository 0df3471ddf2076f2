import { expect, it } from "vitest";
import { htmlReport } from "../../report/html";
import { nodeCapacity } from "../../report/html/arrangement";
import { planResult } from "./html.fixture";

/** Widths of pods on the nodes without GPUs, and of such a node, as drawn with pods of so much memory. */
function drawn(memoryGiB: number): { readonly pods: readonly number[]; readonly node: number } {
  const models = planResult.plan.models.map((model) =>
    model.pool === "cpu" ? { ...model, resources: { ...model.resources, memoryGiB } } : model,
  );
  const page = htmlReport({ ...planResult, plan: { ...planResult.plan, models } });
  const widths = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, width]) => Number(width));
  const [node = 0] = widths(
    /<rect class="free" x="0.5" y="0.5" width="([\d.]+)"[^>]*><\/rect><g[^>]*><title>[^<]*of host memory/g,
  );
  return { pods: widths(/of host memory<\/title><rect class="pod" [^>]*width="([\d.]+)"/g), node: node + 1 };
}

it("a pod on a node without GPUs is as wide as its share of the node's memory, and never too narrow for its label", () => {
  const pool = planResult.plan.pools.find(({ name }) => name === "cpu");
  const capacity = pool ? nodeCapacity(planResult.plan, pool).memoryGiB : 0;
  const [few, many] = [drawn(1), drawn(capacity / 4)];
  const gap = 2;
  expect(few.pods).toEqual([22, 22]);
  expect(many.pods).toEqual([many.node / 4 - gap, many.node / 4 - gap].map((width) => expect.closeTo(width, 1)));
});
