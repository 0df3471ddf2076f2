/** docs/canary.md: each step can be deployed on oci-a10, and does to the plan what the page says. */
import { expect, it } from "vitest";
import type { DeploymentPlan } from "../../planner/types";
import { changedPlan, refusalsOf } from "./planned";
import { merged, type Sections, shippedSections, suggestedSections } from "./texts";

const base = shippedSections("oci-a10");
const steps = suggestedSections("canary.md");

/** The plan with the sections of a step, whose models keep what it does not name. */
async function planned({ models, ...sections }: Sections): Promise<DeploymentPlan> {
  const { plan } = await changedPlan("oci-a10", { ...sections, models: merged(base.models, models) });
  return plan;
}

it("starts, shifts, promotes and ends, each step deployable, each revision in the folder that the page names", async () => {
  const plans = await Promise.all(steps.map(planned));
  expect(plans.map(refusalsOf)).toEqual([[], [], [], []]);
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
