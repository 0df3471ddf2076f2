/** docs/service-levels.md tells the truth: what it suggests can be deployed, and it leaves out no key and no policy. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { BASIS_TEXTS, LIMIT_TEXTS } from "../../planner/level/text";
import { policies } from "../../policies/all";
import { serviceLevelSchema } from "../../stacks/config/core/sections/service-level";
import { trafficSchema } from "../../stacks/config/core/sections/traffic";
import { onA10, planOf, useFolder } from "../cli/run";

const folder = useFolder();
const text = readFileSync(join(repositoryRoot(), "docs/service-levels.md"), "utf8");

it("suggests what can be deployed", async () => {
  const fragments = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, fragment = ""]) => parse(fragment));
  expect(fragments).toHaveLength(2);
  const { "inference-stacks:models": models, "inference-stacks:apiPrices": apiPrices } = Object.assign(
    {},
    ...fragments,
  );
  const { status, out } = await planOf(folder, onA10({}, { models, apiPrices }), "--json");
  const plan = JSON.parse(out) as { models: { speed: { headroom: number; sure: boolean } }[] };
  expect([status, plan.models.length]).toEqual([0, 1]);
  expect(plan.models[0]?.speed.headroom).toBeGreaterThan(0);
});

it("names every key of traffic and of a level", () => {
  const [traffic, level] = [trafficSchema, serviceLevelSchema].map((schema) => Object.keys(keysOf(schema)));
  expect([traffic?.length, level?.length]).toEqual([6, 6]);
  expect([...(traffic ?? []), ...(level ?? [])].filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
});

it("names every limit in the words of the plan, and the policies that judge levels", () => {
  const limits = Object.values(LIMIT_TEXTS).filter((limit) => !/exchange|the requests/.test(limit));
  expect(limits.filter((limit) => !text.includes(limit))).toEqual([]);
  expect(text).toContain(BASIS_TEXTS.own);
  const names = policies.map(({ name }) => name).filter((name) => name.startsWith("service-level"));
  expect(names).toHaveLength(3);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

/** Of an object in whatever wraps it: defaults, transforms. */
function keysOf(schema: unknown): Record<string, unknown> {
  const { shape, def } = schema as { shape?: Record<string, unknown>; def?: Record<string, unknown> };
  const inner = def?.innerType ?? def?.in;
  if (shape !== undefined || inner === undefined) {
    return shape ?? {};
  }
  return keysOf(inner);
}
