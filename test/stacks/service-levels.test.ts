import { beforeAll, describe, expect, it } from "vitest";
import type { DeploymentPlan } from "../../planner/types";
import { planOf, useFolder } from "../cli/run";
import { changedPlan, refusalsOf } from "./planned";
import { environments } from "./run";
import { changedText, shippedSections } from "./texts";

type Models = Record<string, Record<string, unknown>>;

const folder = useFolder();

/** The models of an environment with something more said of each. */
function modelsWith(name: string, more: (model: string) => object): { readonly models: Models } {
  const models = shippedSections(name).models as Models;
  return {
    models: Object.fromEntries(
      Object.entries(models).map(([model, settings]) => [model, { ...settings, ...more(model) }]),
    ),
  };
}

const planWith = async (name: string, more: (model: string) => object) =>
  (await changedPlan(name, modelsWith(name, more))).plan;

const placesOf = ({ models }: DeploymentPlan) =>
  models.map((m) => [
    m.name,
    m.pool,
    m.tensorParallel,
    m.pipelineParallel,
    m.minReplicas,
    m.maxReplicas,
    m.concurrency,
  ]);

/** The plan without levels and traffic, and levels that it keeps easily and never. */
async function levelsFor(name: string) {
  const bare = await planWith(name, () => ({ traffic: undefined, serviceLevel: undefined }));
  const fast: ReadonlySet<string> = new Set(bare.models.flatMap((m) => (m.speed ? [m.name] : [])));
  const generates = (model: string) => bare.models.some((m) => m.name === model && /chat|completion/.test(m.task));
  const mild = (model: string) =>
    generates(model)
      ? {
          traffic: { requestsPerSecond: 0.02, peakFactor: 1, inputTokens: 500, outputTokens: 200 },
          serviceLevel: { ttftMs: 60_000, tpotMs: 1000 },
        }
      : { traffic: undefined, serviceLevel: { availability: 0.99 } };
  const impossible = (model: string) =>
    fast.has(model) ? { traffic: undefined, serviceLevel: { tpotMs: 0.2 } } : { traffic: undefined };
  return { bare, fast, generates, mild, impossible };
}

describe.each(environments)("%s with a service level for each model", (name) => {
  let levels: Awaited<ReturnType<typeof levelsFor>>;
  beforeAll(async () => {
    levels = await levelsFor(name);
  });

  it("says of every model how fast it is, or why nobody knows", () => {
    const { bare, fast, generates } = levels;
    for (const { speed, noSpeed, tokenPrice } of bare.models) {
      expect([speed === undefined, tokenPrice === undefined]).toEqual([noSpeed !== undefined, noSpeed !== undefined]);
      if (speed !== undefined) {
        const { low, expected, high } = speed.tokensPerSecond;
        expect(0 < low && low < expected && expected < high).toBe(true);
        expect(speed.tokenMs.p99.expected).toBeGreaterThanOrEqual(speed.tokenMs.mean.expected);
      }
    }
    const onGpus = bare.models.filter((m) => generates(m.name) && m.gpusPerNode > 0);
    expect(onGpus.filter((m) => !fast.has(m.name))).toEqual([]);
  });

  it("is planned as before where the level and the traffic are mild", async () => {
    const { bare, fast, mild } = levels;
    const plan = await planWith(name, mild);
    expect(refusalsOf(plan)).toEqual([]);
    // What the file does not say follows from traffic; these files say concurrency, and replicas where there is more than one.
    expect(placesOf(plan)).toEqual(placesOf(bare));
    for (const { name: model, speed } of plan.models.filter((m) => fast.has(m.name))) {
      expect([model, speed?.load, speed?.saturated, speed?.neededReplicas]).toEqual([model, "traffic", false, 1]);
    }
  });

  it("is refused with floor, reason and remedy where no load keeps the level", async () => {
    const { fast, impossible } = levels;
    const plan = await planWith(name, impossible);
    const refused = refusalsOf(plan);
    expect(refused.map(({ rule, subject }) => [rule, subject]).toSorted()).toEqual(
      [...fast].map((model) => ["service-level", `models.${model}`]).toSorted(),
    );
    for (const { message } of refused) {
      expect(message).toMatch(/0\.2 ms per token is below the floor of [\d.,]+ ms \(expected [\d.,]+ ms\)/);
      expect(message).toMatch(
        /To fix it[\s\S]*- write models\.[a-z0-9-]+\.serviceLevel\.tpotMs: \d+, or less demanding/,
      );
    }
  });
});

it("a level for each model is planned and refused by the command too", async () => {
  const { fast, mild, impossible } = await levelsFor("oci-a10");
  const planned = (more: (model: string) => object) =>
    planOf(folder, changedText("oci-a10", modelsWith("oci-a10", more)));
  const [kept, lost] = [await planned(mild), await planned(impossible)];
  expect([kept.status, kept.err, lost.status, lost.err, fast.size > 0]).toEqual([0, "", 1, "", true]);
  expect(lost.out.match(/keeps its service level on no allowed pool/g)).toHaveLength(fast.size);
});
