import { describe, expect, it } from "vitest";
import { guaranteed } from "../../../components/core/resources";
import { Workload, type WorkloadArgs } from "../../../components/core/workload";
import { deploy } from "../../harness/deploy";
import { specOf } from "../serving/fixture";

async function set(overrides: Partial<WorkloadArgs>) {
  return (await deployed(overrides)).resource("kubernetes:apps/v1:StatefulSet", "cache-statefulset");
}

function deployed(overrides: Partial<WorkloadArgs> = {}) {
  return deploy(
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

  it("gives each pod of a set an address by its name before it is ready, and clients only those that are", async () => {
    const deployment = await deployed();
    const services = deployment.ofType("kubernetes:core/v1:Service").map((service) => specOf(service));
    const { serviceName } = specOf(await set({}));
    const [pods] = services.filter(({ clusterIP }) => clusterIP === "None");
    expect(deployment.resource("kubernetes:core/v1:Service", "cache-pods").inputs.metadata).toMatchObject({
      name: serviceName,
    });
    expect(pods).toMatchObject({ publishNotReadyAddresses: true });
    expect(services).toHaveLength(2);
    expect(services.filter((spec) => "publishNotReadyAddresses" in spec)).toEqual([pods]);
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
