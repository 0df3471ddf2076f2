/** The picture of a request's path: what its boxes say fits into them, in fonts as wide as DejaVu Sans. */
import { expect, it } from "vitest";
import { platformPictureFile } from "../../report/html/platform-picture";
import { programRun } from "../stacks/run";

const textsOf = (svg: string, kind: string) =>
  [...svg.matchAll(new RegExp(`<text class="${kind}"[^>]*>([^<]*)</text>`, "g"))].map(([, text = ""]) => text);

it("names the cards of a pool without their maker, whose name would leave no room for them", async () => {
  const { plan, recording } = await programRun("edge-nvidia");
  const names = textsOf(platformPictureFile({ plan, resources: recording.resources }), "name");
  expect(names).toContain("workstation · 2 × RTX 4090");
});

it("cuts what is longer than its box", async () => {
  const { plan, recording } = await programRun("edge-nvidia");
  const models = plan.models.map((model) => ({ ...model, name: "m".repeat(60) }));
  const pools = plan.pools.map((pool) => ({
    ...pool,
    name: "p".repeat(60),
    shape: { ...pool.shape, name: "s".repeat(60) },
  }));
  const svg = platformPictureFile({ plan: { ...plan, models, pools }, resources: recording.resources });
  expect(Math.max(...textsOf(svg, "name").map(({ length }) => length))).toBe(34);
  expect(Math.max(...textsOf(svg, "quiet").map(({ length }) => length))).toBe(38);
});
