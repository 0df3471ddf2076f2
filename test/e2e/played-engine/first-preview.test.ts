import { describe, expect, it } from "vitest";
import { runProgram } from "./program";
import { holdsUnknown } from "./properties";

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

/** Of an object, and of a chart. */
function namespacesOf({ metadata, namespace }: Readonly<Record<string, unknown>>): unknown[] {
  return [(metadata as { readonly namespace?: unknown } | undefined)?.namespace, namespace];
}
