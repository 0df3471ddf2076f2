import { describe, expect, it } from "vitest";
import { groupOf, type KubernetesObject } from "../../kubernetes/object";
import { GATEWAY_GROUPS } from "../../rehearsal/cluster/gateway/objects";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { EVERY_CHANGE, NIGHTLY } from "./every-change";
import { type EnvironmentName, environments, programRun } from "./run";

/** Fields of a value by their paths: items of lists are alike, and so are keys that users choose, as of labels. */
function fields(value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => fields(item, `${path}[]`));
  }
  if (value === null || typeof value !== "object") {
    return [path];
  }
  return Object.entries(value).flatMap(([key, below]) => {
    return fields(below, `${path}.${/^[a-zA-Z]+$/.test(key) ? key : "*"}`);
  });
}

async function gatewayFields(name: EnvironmentName): Promise<string[]> {
  const objects = recordedObjects((await programRun(name)).resources);
  return objects
    .filter(({ apiVersion }) => GATEWAY_GROUPS.includes(groupOf(apiVersion)))
    .flatMap(({ metadata: _metadata, kind, ...rest }: KubernetesObject) => fields(rest, kind));
}

/** `kubernetes:apps/v1:Deployment`, and every other type that the engine makes. */
async function types(name: EnvironmentName): Promise<string[]> {
  return (await programRun(name)).resources.map(({ type }) => type);
}

async function ofAll<T>(names: readonly EnvironmentName[], of: (name: EnvironmentName) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (const name of names) {
    found.push(...(await of(name)));
  }
  return [...new Set(found)];
}

describe("environments that are brought up with every change", () => {
  it("are, with those of the night, all that there are", () => {
    expect([...EVERY_CHANGE, ...NIGHTLY].toSorted()).toEqual(environments.toSorted());
  });

  it("have every type of resource that others have, but for components that bring no type of their own", async () => {
    const covered = new Set(await ofAll(EVERY_CHANGE, types));
    // All of oci-a10, which engine-canary.test.ts brings up in part with every change.
    expect((await ofAll(NIGHTLY, types)).filter((type) => !covered.has(type))).toEqual([
      "inference:node:InferenceNode",
      "inference:gateway:GroupHealth",
      "inference:model-control:WarmModels",
      // test/e2e/edge brings up machines with every change.
      "inference:cluster:K3sCluster",
      "command:remote:Command",
    ]);
  });

  it("have every field of the gateway's objects that others have", async () => {
    const covered = new Set(await ofAll(EVERY_CHANGE, gatewayFields));
    expect((await ofAll(NIGHTLY, gatewayFields)).filter((field) => !covered.has(field))).toEqual([
      // What keeps consumers to models, which test/e2e/gateway/tenants.test.ts has programmed with every change.
      "SecurityPolicy.spec.mergeType",
      "SecurityPolicy.spec.targetSelectors[].group",
      "SecurityPolicy.spec.targetSelectors[].kind",
      "SecurityPolicy.spec.targetSelectors[].matchExpressions[].key",
      "SecurityPolicy.spec.targetSelectors[].matchExpressions[].operator",
      "SecurityPolicy.spec.targetSelectors[].matchExpressions[].values[]",
    ]);
  });
});
