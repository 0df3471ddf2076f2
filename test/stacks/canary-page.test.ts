/** docs/canary.md: each step can be deployed on oci-a10, and does to the plan what the page says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import type { DeploymentPlan } from "../../planner/types";
import { parseEnvironmentFile } from "../../stacks/config";
import { planEnvironment } from "../../stacks/program";
import { environmentText } from "../cli/run";

type Section = Readonly<Record<string, object>>;

const read = (...path: string[]) => readFileSync(join(repositoryRoot(), ...path), "utf8");
const withoutNamespace = (config: Section): Section =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace("inference-stacks:", ""), value]));

const base = withoutNamespace((parse(read("Pulumi.oci-a10.yaml")) as { config: Section }).config);
const steps = [...read("docs", "canary.md").matchAll(/^```yaml\n(inference-stacks:.*?)^```$/gms)].map(([, text = ""]) =>
  withoutNamespace(parse(text) as Section),
);

async function planned({ models = {}, ...sections }: Section): Promise<DeploymentPlan> {
  const written: Section = { ...base.models };
  const merged = Object.entries(models).map(([name, model]) => [name, { ...written[name], ...model }]);
  const text = environmentText({ ...base, ...sections, models: { ...written, ...Object.fromEntries(merged) } });
  const parsed = parseEnvironmentFile(text);
  if (!parsed.ok) {
    throw new Error(JSON.stringify(parsed.problems));
  }
  return planEnvironment("oci-a10", { environment: parsed.environment, secrets: {} }, repositoryRoot());
}

it("starts, shifts, promotes and ends, each step deployable, each revision in the folder that the page names", async () => {
  const plans = await Promise.all(steps.map(planned));
  expect(plans.map(({ problems }) => problems.filter(({ severity }) => severity === "mandatory"))).toEqual([
    [],
    [],
    [],
    [],
  ]);
  const second = "writer.a09a35458c702b33eeacc393d103063234e8bc28";
  const revisions = plans.map(({ models }) =>
    models
      .filter(({ name }) => name.startsWith("writer"))
      .map(({ name, revisionOf, storeFolder = name }) => [name, storeFolder, revisionOf?.weight]),
  );
  const canary = (weight: number) => ["writer-canary", second, weight];
  expect(revisions).toEqual([
    [["writer", "writer", undefined], canary(0)],
    [["writer", "writer", undefined], canary(20)],
    [["writer", second, undefined], canary(100)],
    [["writer", second, undefined]],
  ]);
});

it("keeps the store at the size that the plan takes with the canary", async () => {
  const [first = {}] = steps;
  const { storage: _, ...unsized } = first;
  const { storage } = await planned(unsized);
  expect(first.storage).toEqual({ sizeGiB: storage.sizeGiB });
});
