import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { planWithAdvice } from "../../planner/plan-with-advice";
import type { DeploymentPlan } from "../../planner/types";
import { readArchitectures } from "../../stacks/architectures";
import { formatProblems, parseEnvironmentFile } from "../../stacks/config";
import { toPlanRequest } from "../../stacks/plan-request";
import { planOf, useFolder } from "../cli/run";
import { environments } from "./run";

type Models = Record<string, Record<string, unknown>>;

const folder = useFolder();

/** Text of an environment with something more said of each of its models. */
function fileWith(name: string, more: (model: string) => object): string {
  const file = parse(readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8")) as {
    config: Record<string, unknown>;
  };
  const models = file.config["inference-stacks:models"] as Models;
  const changed = Object.fromEntries(
    Object.entries(models).map(([model, settings]) => [model, { ...settings, ...more(model) }]),
  );
  return stringify({ config: { ...file.config, "inference-stacks:models": changed } });
}

async function planWith(name: string, more: (model: string) => object): Promise<DeploymentPlan> {
  const parsed = parseEnvironmentFile(fileWith(name, more));
  if (!parsed.ok) {
    throw new Error(formatProblems(parsed.problems));
  }
  const architectures = await readArchitectures(parsed.environment, repositoryRoot());
  return planWithAdvice(toPlanRequest(name, parsed.environment, architectures));
}

const refusals = ({ problems }: DeploymentPlan) => problems.filter(({ severity }) => severity === "mandatory");
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

describe.each(environments)("%s with a service level for each model", (name) => {
  let bare: DeploymentPlan;
  let fast: ReadonlySet<string>;
  beforeAll(async () => {
    bare = await planWith(name, () => ({ traffic: undefined, serviceLevel: undefined }));
    fast = new Set(bare.models.flatMap((m) => (m.speed ? [m.name] : [])));
  });
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

  it("says of every model how fast it is, or why nobody knows", () => {
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
    const plan = await planWith(name, mild);
    expect(refusals(plan)).toEqual([]);
    // What the file does not say follows from traffic; these files say concurrency, and replicas where there is more than one.
    expect(placesOf(plan)).toEqual(placesOf(bare));
    for (const { name: model, speed } of plan.models.filter((m) => fast.has(m.name))) {
      expect([model, speed?.load, speed?.saturated, speed?.neededReplicas]).toEqual([model, "traffic", false, 1]);
    }
  });

  it("is refused with floor, reason and remedy where no load keeps the level", async () => {
    const plan = await planWith(name, impossible);
    const refused = refusals(plan);
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

  it("is planned and refused by the command too, whatever else the environment has", async () => {
    const [kept, lost] = [await planOf(folder, fileWith(name, mild)), await planOf(folder, fileWith(name, impossible))];
    expect([kept.status, kept.err]).toEqual([0, ""]);
    // Where nobody knows how fast any model is, nothing is held to the level.
    expect([lost.status, lost.err]).toEqual([fast.size > 0 ? 1 : 0, ""]);
    expect(lost.out.match(/keeps its service level on no allowed pool/g) ?? []).toHaveLength(fast.size);
  });
});
