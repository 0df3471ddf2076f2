import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { admit, type Refusal, refuse } from "./faults/admission";
import { FaultedStack, UP } from "./faults/faulted-stack";
import { expectUndisturbed } from "./faults/undisturbed";
import { sharedBySuite } from "./shared-by-suite";

const SERVER = "platform-models-assistant-server-statefulset";
const NAMESPACE = "model-assistant";
/** The official provider waits ten minutes for pods that never come. */
const PATIENCE = { E2E_PATIENCE_SECONDS: "5" };

describe("an up that admission refuses a part of", { timeout: 600_000 }, () => {
  const stack = sharedBySuite(() => FaultedStack.start());

  it("says which object was refused and why, and makes the rest", async () => {
    const { plane, offline } = stack().surroundings;
    const server = offline.recording.resources.find(({ name }) => name === SERVER);
    if (server === undefined) {
      throw new Error(`the environment has no ${SERVER}`);
    }
    const object = server.inputs as unknown as KubernetesObject;
    const refusal: Refusal = {
      resource: { group: "apps", version: "v1", plural: "statefulsets" },
      when: `object.metadata.name == "${object.metadata.name}"`,
      message: "model servers are frozen this week",
      // A namespace that is there already.
      example: { ...object, metadata: { name: object.metadata.name, namespace: "default" } },
    };
    await refuse(plane.client, refusal);
    const { status, output } = await stack().run(UP);
    expect(status).not.toBe(0);
    expect(output).toContain(`kubernetes:apps/v1:StatefulSet (${SERVER})`);
    expect(output).toContain(refusal.message);
    expect(await plane.client.get(object)).toBeUndefined();
    await admit(plane.client, refusal);
  });

  it("keeps a server whose pods were refused as not ready, and waits for it again in the next up", async () => {
    const { plane } = stack().surroundings;
    const refusal: Refusal = {
      resource: { group: "", version: "v1", plural: "pods" },
      when: `object.metadata.namespace in ["${NAMESPACE}", "default"]`,
      message: "no new pods this week",
      // Where nothing else refuses it.
      example: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "example", namespace: "default" },
        spec: { containers: [{ name: "example", image: "example.com/example:1" }] },
      },
    };
    await refuse(plane.client, refusal);
    const { status, output } = await stack().run(UP, PATIENCE);
    expect(status).not.toBe(0);
    expect(output).toMatch(/waited 5 s for StatefulSet model-assistant\/\S+ to be ready/);
    const { resources = [] } = await stack().state();
    const unready = resources.filter(({ initErrors = [] }) => initErrors.length > 0);
    expect(unready.map(({ urn }) => urn.split("::").at(-1))).toEqual([SERVER]);
    await admit(plane.client, refusal);

    await stack().must(UP);
    await expectUndisturbed(stack());
  });
});
