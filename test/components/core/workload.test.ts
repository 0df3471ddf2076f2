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

describe("Workload", () => {
  it("sets the number of replicas with every deployment, one unless it is told otherwise", async () => {
    expect(specOf(await set({}))).toMatchObject({ replicas: 1 });
    const three = await set({ replicas: { count: 3 } });
    expect([specOf(three).replicas, three.options.ignoreChanges]).toEqual([3, []]);
  });

  it("sets it once where it belongs to whoever scales at run time", async () => {
    const scaled = await set({ replicas: { count: 2, owner: "runtime" } });
    expect([specOf(scaled).replicas, scaled.options.ignoreChanges]).toEqual([2, ["spec.replicas"]]);
  });

  it("takes it from whoever had it, where it is said to be the plan's", async () => {
    const annotationsOf = (resource: Awaited<ReturnType<typeof set>>) =>
      (resource.inputs.metadata as { annotations?: Record<string, string> }).annotations;
    const force = { "pulumi.com/patchForce": "true" };
    expect(annotationsOf(await set({ replicas: { count: 2, owner: "plan" } }))).toEqual(force);
    expect(annotationsOf(await set({ replicas: { count: 2, owner: "runtime" } }))).toBeUndefined();
    expect(annotationsOf(await set({}))).toBeUndefined();
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
