import { describe, expect, it } from "vitest";
import { holdsUnknown } from "../../offline/first-preview";
import { evaluatePolicies } from "../../policies/evaluate";
import { programRun } from "../stacks/run";

/**
 * Mandatory policies that decide later, in the preview after the cluster is there: keys and statements name what has no identifier yet.
 * The same with the SDK's own process: test/e2e/played-engine/first-preview.test.ts.
 */
const UNDECIDED = {
  "aws-prod": ["encryption-at-rest", "known-accounts", "least-privilege-aws"],
  "oci-h100": ["encryption-at-rest", "least-privilege-oci", "no-public-endpoint"],
} as const;

describe.each(["aws-prod", "oci-h100"] as const)("an offline first preview of %s", (stack) => {
  it("knows as little as the engine: no outputs of providers without a cluster, and every namespace", async () => {
    const { resources } = await programRun(stack, { preview: true });
    const made = resources.filter(({ custom }) => custom);
    const unknown = made.filter(({ inputs }) => holdsUnknown(inputs));
    expect(unknown.length).toBeGreaterThan(80);
    expect(unknown.length).toBeLessThanOrEqual(120);
    const metadata = made.map(({ inputs }) => (inputs.metadata ?? {}) as { readonly namespace?: unknown });
    expect(metadata.filter(({ namespace }) => holdsUnknown(namespace))).toEqual([]);
  });

  it("leaves those policies undecided, and violates none", async () => {
    const { resources } = await programRun(stack, { preview: true });
    // The SDK marks no value as secret that is unknown; the data of Secrets are (the run of `plan` shows it).
    const secretInputs = ["data", "stringData"];
    const judged = resources.map((resource) => ({ ...resource, secretInputs }));
    const { undecided, violations } = evaluatePolicies(judged, { project: "inference-stacks", stack });
    expect([...new Set(undecided.map(({ policy }) => policy))].sort()).toEqual(UNDECIDED[stack]);
    expect(violations).toEqual([]);
  });
});
