import { describe, expect, it } from "vitest";
import { guaranteed } from "../../../components/core/resources";
import { Workload, type WorkloadArgs } from "../../../components/core/workload";
import { deploy } from "../../harness/deploy";
import { specOf } from "../serving/fixture";

async function set(overrides: Partial<WorkloadArgs>) {
  const deployment = await deploy(
    () =>
      void new Workload("cache", {
        namespace: "here",
        app: "cache",
        instance: "cache",
        ports: [{ name: "http", port: 80 }],
        controller: { kind: "StatefulSet" },
        pod: {
          containers: [{ name: "cache", image: "example/cache:1", resources: guaranteed({ cpu: 1, memoryGiB: 1 }) }],
        },
        ...overrides,
      }),
  );
  return deployment.resource("kubernetes:apps/v1:StatefulSet", "cache-statefulset");
}

const WAIT_FOR = ["metadata", "annotations", "pulumi.com/waitFor"];

describe("Workload", () => {
  it("waits for ready pods, unless something later makes them ready", async () => {
    expect((await set({})).inputs).not.toHaveProperty(WAIT_FOR);
    const updated = await set({ replicas: 2, controller: { kind: "StatefulSet", awaits: "updated" } });
    expect(updated.inputs).toHaveProperty(WAIT_FOR, "jsonpath={.status.updatedReplicas}=2");
  });

  it("does not wait for a count that no status shows: that of no replicas", async () => {
    const none = await set({ replicas: 0, controller: { kind: "StatefulSet", awaits: "updated" } });
    expect(none.inputs).not.toHaveProperty(WAIT_FOR);
  });

  it("takes the number of replicas back from whoever changed it at run time, where that may be", async () => {
    const FORCE = ["metadata", "annotations", "pulumi.com/patchForce"];
    expect((await set({})).inputs).not.toHaveProperty(FORCE);
    const scaled = await set({ scaledAtRunTime: true, controller: { kind: "StatefulSet", awaits: "updated" } });
    expect(scaled.inputs).toHaveProperty(FORCE, "true");
    expect(scaled.inputs).toHaveProperty(WAIT_FOR, "jsonpath={.status.updatedReplicas}=1");
  });

  it("says what becomes of claims only where the set makes some", async () => {
    expect(specOf(await set({}))).not.toHaveProperty("persistentVolumeClaimRetentionPolicy");
    const volumeClaims = [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }];
    expect(specOf(await set({ controller: { kind: "StatefulSet", volumeClaims } }))).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      volumeClaimTemplates: volumeClaims,
    });
    const claimRetention = { whenDeleted: "Delete", whenScaled: "Retain" } as const;
    expect(specOf(await set({ controller: { kind: "StatefulSet", volumeClaims, claimRetention } }))).toMatchObject({
      persistentVolumeClaimRetentionPolicy: claimRetention,
    });
  });
});
