import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { holdsUnknown } from "../../../offline/first-preview";
import { PackServer } from "../../policies/pack-server";
import type { Declared, PlayedEngine } from "./engine";
import { runProgram } from "./program";

/** Identifiers, addresses and keys that nobody knows before the cluster is there, and what carries them. */
const MOST_UNKNOWN = 120;

/** Mandatory policies that decide later, in the preview after the cluster is there: keys and statements name what has no identifier yet. */
const UNDECIDED = {
  "aws-prod": ["encryption-at-rest", "known-accounts", "least-privilege-aws"],
  "oci-h100": ["encryption-at-rest", "least-privilege-oci", "no-public-endpoint"],
} as const;

describe.each(["aws-prod", "oci-h100"] as const)("the first preview of %s", (environment) => {
  let engine: PlayedEngine;
  let pack: PackServer;
  beforeAll(async () => {
    const end = await runProgram(environment, { firstPreview: true });
    expect(end.status, end.printed).toBe(0);
    engine = end.engine;
    pack = await PackServer.start(join(repositoryRoot(), "policies"));
  });
  afterAll(() => pack.stop());

  // Policies decide nothing of what they do not know.
  it("knows every namespace, and the inputs of most resources", () => {
    expect(engine.isComplete).toBe(true);
    const made = engine.declared.filter(({ custom }) => custom);
    const namespaced = made.filter(({ type }) => type.startsWith("kubernetes:"));
    expect(namespaced.length).toBeGreaterThan(200);
    expect(namespaced.filter(({ inputs }) => namespacesOf(inputs).some(holdsUnknown)).map(({ urn }) => urn)).toEqual(
      [],
    );
    expect(made.filter(({ inputs }) => holdsUnknown(inputs)).length).toBeLessThanOrEqual(MOST_UNKNOWN);
    expect(new Set(namespaced.map(({ outputs }) => Object.keys(outputs).length))).toEqual(new Set([0]));
  });

  it("decides every policy but those, by what the program declared", async () => {
    const { undecided, violations } = await judge(pack, engine.declared);
    expect([...new Set(undecided.map((line) => line.split(" | ")[0]))].sort()).toEqual(UNDECIDED[environment]);
    expect(violations).toEqual([]);
  });

  it("finds what is missing in it", async () => {
    const declared = engine.declared.filter(({ type }) => !type.endsWith(":NetworkPolicy"));
    const { violations } = await judge(pack, declared);
    expect(violations).toContainEqual(
      expect.stringMatching(
        /^network-policy-per-namespace \| .* has no default-deny NetworkPolicy for Ingress and Egress/,
      ),
    );
  });
});

/** As the engine asks a pack of its own. */
function judge(pack: PackServer, declared: readonly Declared[]) {
  const byUrn = new Map(declared.map((each) => [each.urn, each]));
  const resources = declared.map(({ urn, type, custom, inputs, protect }) => {
    return {
      urn,
      type,
      name: urn.slice(urn.lastIndexOf("::") + 2),
      custom,
      inputs,
      secretInputs: [],
      options: { protect },
    };
  });
  return pack.judge(
    resources,
    ({ urn }) => byUrn.get(urn)?.outputs ?? {},
    ({ inputs }) => inputs,
  );
}

/** Of an object, and of a chart. */
function namespacesOf({ metadata, namespace }: Readonly<Record<string, unknown>>): unknown[] {
  return [(metadata as { readonly namespace?: unknown } | undefined)?.namespace, namespace];
}
