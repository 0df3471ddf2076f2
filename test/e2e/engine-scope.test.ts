/** Two stacks of one backend on the real engine: one says what its cluster is, the platform of the other goes on it. */
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import * as automation from "@pulumi/pulumi/automation";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isObjectType } from "../../kubernetes/resource-types";
import { operation } from "./engine/operations";
import { filesBelow, leaks } from "./engine/secret-search";
import { TestBed } from "./engine/test-bed";
import { sharedBySuite } from "./shared-by-suite";

const CLUSTER_STACK = "organization/inference-stacks/dev-cluster";

describe("a platform on the cluster of another stack", { timeout: 300_000 }, () => {
  const bed = sharedBySuite(() =>
    TestBed.start("dev", {
      "inference-stacks:scope": { value: "platform" },
      "inference-stacks:cluster": {
        value: JSON.stringify({ kind: "local", provision: "stack", stackReference: CLUSTER_STACK }),
      },
    }),
  );

  /** A stack beside the platform's, in the same backend, with these outputs. */
  async function deployOutputs(outputs: () => Record<string, unknown>): Promise<automation.Stack> {
    const { pulumiHome, envVars } = bed().stack.workspace;
    const stack = await automation.LocalWorkspace.createOrSelectStack(
      { projectName: "inference-stacks", stackName: "dev-cluster", program: async () => outputs() },
      { ...(pulumiHome !== undefined && { pulumiHome }), envVars },
    );
    await stack.up();
    return stack;
  }

  it("is refused before its stack exists, by the engine's own words", async () => {
    await expect(bed().stack.preview()).rejects.toThrow(/unknown stack|no stack named/);
  });

  it("is refused while its stack says nothing, and then with all that does not fit", async () => {
    const failure = () =>
      bed()
        .stack.preview()
        .then(() => undefined, String);
    await deployOutputs(() => ({}));
    expect(await failure()).toContain('it has no output "cluster": it was never deployed');
    await deployOutputs(() => ({ cluster: { version: 1, kind: "aws", pools: {} } }));
    const all = await failure();
    expect(all).toContain("that stack made a cluster of kind aws");
    expect(all).toContain("that cluster has not; its pools: none");
  });

  it("makes the objects of one stack, and keeps the kubeconfig secret in both states", async () => {
    const { plane, offline } = bed();
    const kubeconfig = readFileSync(plane.kubeconfig, "utf8");
    const pools = (offline.clusterOutputs as { readonly pools: object }).pools;
    await deployOutputs(() => ({
      cluster: { version: 1, kind: "local", kubeconfig: pulumi.secret(kubeconfig), pools },
    }));
    await operation((onEvent) => bed().stack.up({ onEvent }));
    const { resources } = (await bed().exportEncrypted()).deployment as {
      readonly resources: readonly { readonly type: string; readonly urn: string }[];
    };
    const made = resources.filter(({ type }) => isObjectType(type)).map(({ urn }) => urn.split("::").at(-1));
    const planned = offline.recording.resources.filter(({ type }) => isObjectType(type)).map(({ name }) => name);
    expect(made.toSorted()).toEqual(planned.toSorted());
    const token = JSON.stringify(parse(kubeconfig).users[0].user.token).slice(1, -1);
    expect(token.length).toBeGreaterThan(8);
    expect(leaks(filesBelow(bed().backend), [token])).toEqual([]);
    expect((await operation((onEvent) => bed().stack.up({ onEvent }))).steps).toEqual([]);
  });
});
