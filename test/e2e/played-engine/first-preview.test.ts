import { unknown as pulumiUnknown } from "@pulumi/pulumi/output";
import { describe, expect, it } from "vitest";
import { holdsUnknown, UNKNOWN } from "../../../offline/first-preview";
import { evaluatePolicies } from "../../../policies/evaluate";
import { runProgram } from "./program";

/** Identifiers, addresses and keys that nobody knows before the cluster is there, and what carries them. */
const MOST_UNKNOWN = 120;

describe.each(["aws-prod", "oci-h100"] as const)("the first preview of %s", (environment) => {
  // Policies decide nothing of what they do not know.
  it("knows every namespace, and the inputs of most resources", async () => {
    const { status, engine, printed } = await runProgram(environment, { firstPreview: true });
    expect(status, printed).toBe(0);
    expect(engine.isComplete).toBe(true);
    const made = engine.declared.filter(({ custom }) => custom);
    const namespaced = made.filter(({ type }) => type.startsWith("kubernetes:"));
    expect(namespaced.length).toBeGreaterThan(200);
    expect(namespaced.filter(({ inputs }) => namespacesOf(inputs).some(holdsUnknown)).map(({ urn }) => urn)).toEqual(
      [],
    );
    expect(made.filter(({ inputs }) => holdsUnknown(inputs)).length).toBeLessThanOrEqual(MOST_UNKNOWN);
  });
});

/** Mandatory policies that decide later, in the preview after the cluster is there: keys and statements name what has no identifier yet. */
const UNDECIDED = {
  "aws-prod": ["encryption-at-rest", "least-privilege-aws"],
  "oci-h100": ["encryption-at-rest", "least-privilege-oci", "no-public-endpoint"],
} as const;

it.each(["aws-prod", "oci-h100"] as const)("the first preview of %s decides every policy but those", async (stack) => {
  const { engine } = await runProgram(stack, { firstPreview: true });
  const resources = engine.declared
    .filter(({ type }) => type !== "pulumi:pulumi:Stack")
    .map(({ urn, type, custom, inputs, protect }) => ({
      urn,
      type,
      name: urn.slice(urn.lastIndexOf("::") + 2),
      custom,
      inputs: asPoliciesSee(inputs) as Record<string, unknown>,
      // The data of Secrets: the pack is not told which inputs are secret.
      secretInputs: ["data", "stringData"],
      options: { protect },
    }));
  const { undecided, violations } = evaluatePolicies(resources, { project: "inference-stacks", stack });
  expect([...new Set(undecided.map(({ policy }) => policy))].sort()).toEqual(UNDECIDED[stack]);
  expect(violations).toEqual([]);
});

/** With the SDK's own mark of what nobody knows. */
function asPoliciesSee(value: unknown): unknown {
  if (value === UNKNOWN) {
    return pulumiUnknown;
  }
  if (Array.isArray(value)) {
    return value.map(asPoliciesSee);
  }
  return value !== null && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asPoliciesSee(each)]))
    : value;
}

/** Of an object, and of a chart. */
function namespacesOf({ metadata, namespace }: Readonly<Record<string, unknown>>): unknown[] {
  return [(metadata as { readonly namespace?: unknown } | undefined)?.namespace, namespace];
}
