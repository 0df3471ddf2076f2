import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordedObjects } from "./cluster/recorded-objects";
import { operation } from "./engine/operations";
import { TestBed } from "./engine/test-bed";

const SECRETS = {
  "inference-stacks:huggingFaceToken": { value: "hf_e2eSecretToken", secret: true },
  "inference-stacks:alertWebhookUrl": { value: "https://alerts.example.com/e2e-secret-path", secret: true },
};

describe("dev on the real engine and a real control plane", () => {
  let running: TestBed | undefined;
  const bed = (): TestBed => {
    if (running === undefined) throw new Error("the test bed did not start");
    return running;
  };
  beforeAll(async () => {
    running = await TestBed.start("dev", SECRETS);
  });
  afterAll(() => running?.stop());

  it("previews the creation of every resource and touches nothing", async () => {
    const { changes } = await operation((onEvent) => bed().stack.preview({ onEvent }));
    expect(changes).toEqual({ create: bed().offline.resources.length });
    expect(await bed().plane.client.list("v1", "Namespace")).toHaveLength(4);
  });

  it("creates all of them; every pod is scheduled and ready, every Job completes", async () => {
    const { changes } = await operation((onEvent) => bed().stack.up({ onEvent }));
    expect(changes).toEqual({ create: bed().offline.resources.length });
    const missing = await Promise.all(
      recordedObjects(bed().offline.resources).map(async (object) =>
        (await bed().plane.client.get(object)) ? [] : [object],
      ),
    );
    expect(missing.flat()).toEqual([]);
  });

  it("changes nothing when it runs again", async () => {
    const { changes, steps } = await operation((onEvent) => bed().stack.up({ onEvent }));
    expect(steps).toEqual([]);
    expect(changes).toEqual({ same: bed().offline.resources.length });
  });

  it("finds no drift", async () => {
    const { changes, steps } = await operation((onEvent) => bed().stack.refresh({ onEvent }));
    expect(steps.filter((step) => step.operation !== "refresh")).toEqual([]);
    expect(changes.update ?? 0).toBe(0);
  });

  it("destroys everything and leaves nothing in the cluster", async () => {
    await operation((onEvent) => bed().stack.destroy({ onEvent }));
    const { deployment } = await bed().stack.exportStack();
    expect(deployment.resources ?? []).toEqual([]);
    expect(await bed().plane.client.list("v1", "Namespace")).toHaveLength(4);
  });
});
