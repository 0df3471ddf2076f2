import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { policies } from "../../../policies/all";
import { UnmadeClusters } from "../../e2e/engine/unmade-cluster";
import type { EnvironmentName } from "../../stacks/run";

const MANDATORY = policies.flatMap(({ name, enforcementLevel }) => (enforcementLevel === "mandatory" ? [name] : []));

/**
 * Mandatory policies that a first preview cannot decide: keys and statements name what has no identifier yet. And one that no run decides:
 * what an image of one's own is made for.
 */
const UNDECIDED = {
  "aws-prod": ["encryption-at-rest", "known-accounts", "least-privilege-aws"],
  "oci-h100": ["encryption-at-rest", "least-privilege-oci", "no-public-endpoint"],
  "oci-a10": ["encryption-at-rest", "image-architecture", "least-privilege-oci", "no-public-endpoint"],
} as const;

/** `pulumi up` begins with the same preview, and stops where it fails: the cluster would never be made. */
describe("the first preview of an environment that makes its cluster, with the policy pack on the real engine", () => {
  let clusters: UnmadeClusters | undefined;
  const preview = async (stack: EnvironmentName) => {
    const run = await clusters?.run(["preview", "--stack", stack, "--policy-pack", "policies"]);
    const output = run?.output ?? "";
    const undecided = new Set([...output.matchAll(/undecided: ([\w-]+)/g)].flatMap(([, name = ""]) => [name]));
    return { status: run?.status, output, undecided: MANDATORY.filter((name) => undecided.has(name)) };
  };

  beforeAll(async () => {
    clusters = await UnmadeClusters.start();
  });
  afterAll(() => clusters?.stop());

  it.each(["aws-prod", "oci-h100", "oci-a10"] as const)("passes %s, and names what it cannot decide", async (stack) => {
    await clusters?.init(stack);
    const { status, output, undecided } = await preview(stack);
    expect(status, output).toBe(0);
    expect(output).toMatch(/✅ inference-stacks@v\d+\.\d+\.\d+/);
    expect(undecided).toEqual(UNDECIDED[stack]);
  });

  it("reports namespaces without NetworkPolicies", async () => {
    const policies = "networkPolicies(args.namespace, inherited.connections)";
    clusters?.edit("components/core/isolated-namespace.ts", `${policies}.map(`, `${policies}.slice(0, 0).map(`);
    const { status, output } = await preview("oci-a10");
    expect(status).not.toBe(0);
    expect(output).toMatch(/\[mandatory\].*network-policy-per-namespace/);
    expect(output).toContain('Namespace "inference-gateway": metadata.name has no default-deny NetworkPolicy');
  });
});
