import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { OkeAddons } from "../../../../components/cluster/oke/addons";
import type { OkePool } from "../../../../components/cluster/oke/settings";
import type { IdentityBinder } from "../../../../components/core/cluster";
import { deploy } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";

const ADDON = "oci:ContainerEngine/addon:Addon";
const SYSTEM = okePool("VM.Standard.E5.Flex", { name: "system" });
const A10 = okePool("VM.GPU.A10.1", { name: "a10" });

type Binding = Parameters<IdentityBinder>[0];

function addons(pools: readonly OkePool[], { preview = false, bound = [] as Binding[] } = {}) {
  return deploy(
    () => {
      new OkeAddons("addons", {
        settings: { compartmentId: "ocid1.compartment.oc1..c" },
        clusterId: pulumi.output("ocid1.cluster.oc1..k"),
        pools,
        poolIds: Object.fromEntries(pools.map(({ plan }) => [plan.name, pulumi.output(`ocid1.nodepool.${plan.name}`)])),
        workloadIdentity: (binding) => {
          bound.push(binding);
          return { annotations: {}, ready: [] };
        },
        after: [],
      });
    },
    { preview },
  );
}

describe("add-ons", () => {
  it.each([false, true])("have these inputs (preview: %s)", async (preview) => {
    const deployment = await addons([SYSTEM, A10, okePool("BM.GPU.MI300X.8", { name: "amd" })], { preview });
    const inputs = deployment.ofType(ADDON).map(({ name, inputs }) => ({ name, inputs }));
    const shared = { clusterId: "ocid1.cluster.oc1..k", overrideExisting: true };
    const dedicated = { key: "dedicated", operator: "Equal", value: "inference", effect: "NoSchedule" };
    expect(inputs).toEqual([
      {
        name: "addons-dns",
        inputs: {
          ...shared,
          addonName: "CoreDNS",
          configurations: [
            { key: "minReplica", value: "2" },
            { key: "nodesPerReplica", value: "4" },
          ],
          removeAddonResourcesOnDelete: false,
        },
      },
      {
        name: "addons-nvidia",
        inputs: {
          ...shared,
          addonName: "NvidiaGpuPlugin",
          configurations: [
            { key: "deviceIdStrategy", value: "uuid" },
            { key: "deviceListStrategy", value: "envvar" },
            { key: "failOnInitError", value: "true" },
            { key: "migStrategy", value: "none" },
            {
              key: "tolerations",
              value: JSON.stringify([{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }, dedicated]),
            },
          ],
          removeAddonResourcesOnDelete: true,
        },
      },
      {
        name: "addons-amd",
        inputs: {
          ...shared,
          addonName: "AmdGpuPlugin",
          configurations: [
            { key: "pulse", value: "30" },
            {
              key: "tolerations",
              value: JSON.stringify([{ key: "amd.com/gpu", operator: "Exists", effect: "NoSchedule" }, dedicated]),
            },
          ],
          removeAddonResourcesOnDelete: true,
        },
      },
    ]);
  });

  it("have no plugin for cards that no pool has", async () => {
    const deployment = await addons([SYSTEM]);
    expect(deployment.ofType(ADDON).map(({ inputs }) => inputs.addonName)).toEqual(["CoreDNS"]);
  });

  it("let names be served where there are GPU nodes alone", async () => {
    const deployment = await addons([A10]);
    const { configurations } = deployment.resource(ADDON, "addons-dns").inputs as { configurations: object[] };
    expect(configurations).toContainEqual({
      key: "tolerations",
      value: expect.stringContaining('"key":"nvidia.com/gpu","operator":"Exists"'),
    });
  });

  it("have an autoscaler for pools that may grow, bound to its service account alone", async () => {
    const bound: Binding[] = [];
    const deployment = await addons([SYSTEM, okePool("VM.GPU.A10.1", { name: "a10", minNodes: 0, maxNodes: 2 })], {
      bound,
    });
    expect(deployment.resource(ADDON, "addons-autoscaler").inputs).toEqual({
      clusterId: "ocid1.cluster.oc1..k",
      addonName: "ClusterAutoscaler",
      configurations: [
        { key: "authType", value: "workload" },
        { key: "balanceSimilarNodeGroups", value: "false" },
        { key: "cordonNodeBeforeTerminating", value: "true" },
        { key: "enforceNodeGroupMinSize", value: "true" },
        { key: "expander", value: "least-waste" },
        { key: "ignoreDaemonsetsUtilization", value: "true" },
        { key: "maxGracefulTerminationSec", value: "600" },
        { key: "maxNodeProvisionTime", value: "15m" },
        { key: "nodes", value: "0:2:ocid1.nodepool.a10" },
        { key: "numOfReplicas", value: "1" },
        { key: "scaleDownDelayAfterAdd", value: "10m" },
        { key: "scaleDownUnneededTime", value: "10m" },
        { key: "skipNodesWithLocalStorage", value: "false" },
        { key: "skipNodesWithSystemPods", value: "false" },
      ],
      overrideExisting: true,
      removeAddonResourcesOnDelete: true,
    });
    expect(bound).toEqual([
      {
        name: "autoscaler",
        namespace: "kube-system",
        serviceAccount: "cluster-autoscaler",
        grants: [
          "manage cluster-node-pools in compartment id ocid1.compartment.oc1..c",
          "manage instance-family in compartment id ocid1.compartment.oc1..c",
          "use subnets in compartment id ocid1.compartment.oc1..c",
          "read virtual-network-family in compartment id ocid1.compartment.oc1..c",
          "use vnics in compartment id ocid1.compartment.oc1..c",
          "inspect compartments in compartment id ocid1.compartment.oc1..c",
        ],
      },
    ]);
  });

  it("have no autoscaler, and no rights for one, where every pool has its size", async () => {
    const bound: Binding[] = [];
    const deployment = await addons([SYSTEM, A10], { bound });
    expect(deployment.ofType(ADDON).map(({ inputs }) => inputs.addonName)).not.toContain("ClusterAutoscaler");
    expect(bound).toEqual([]);
  });
});
