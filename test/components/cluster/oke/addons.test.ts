import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { COMMON_ADDON_KEYS, okeAddon } from "../../../../catalog/oke";
import { OkeAddons } from "../../../../components/cluster/oke/addons";
import type { OkePool } from "../../../../components/cluster/oke/settings";
import type { IdentityBinder } from "../../../../components/core/cluster";
import { deploy } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";

const ADDON = "oci:ContainerEngine/addon:Addon";
const SYSTEM = okePool("VM.Standard.E5.Flex", { name: "system" });
const A10 = okePool("VM.GPU.A10.1", { name: "a10" });

const UNCERTIFIED = {
  key: "startup-taint.cluster-autoscaler.kubernetes.io/uncertified",
  effect: "NoSchedule",
} as const;
const H100 = okePool("BM.GPU.H100.8", {
  name: "h100",
  startupTaints: [UNCERTIFIED],
  fabric: {
    kind: "roce",
    access: "virtual-functions",
    gbps: 3200,
    device: { resource: "nvidia.com/rdma-vf", perNode: 16, network: "default/rdma-vf" },
    environment: {},
  },
});
const MIG = okePool("BM.GPU.H100.8", { name: "parted", sharing: { mig: "all-1g.10gb" } });
const TURNS = okePool("VM.GPU.A10.1", { name: "turns", sharing: { timeSlicing: { replicas: 4 } } });
const AMD_RDMA = okePool("BM.GPU.MI300X.8", { name: "mi300x", ...(H100.plan.fabric && { fabric: H100.plan.fabric }) });

type Binding = Parameters<IdentityBinder>[0];

function addons(
  pools: readonly OkePool[],
  { preview = false, bound = [] as Binding[], after = (): pulumi.Resource[] => [] } = {},
) {
  return deploy(
    () => {
      const made = new OkeAddons("addons", {
        settings: { compartmentId: "ocid1.compartment.oc1..c" },
        clusterId: pulumi.output("ocid1.cluster.oc1..k"),
        pools,
        poolIds: Object.fromEntries(pools.map(({ plan }) => [plan.name, pulumi.output(`ocid1.nodepool.${plan.name}`)])),
        workloadIdentity: (binding) => {
          bound.push(binding);
          return { annotations: {}, ready: [] };
        },
        nodes: {},
      });
      made.rdmaOperator?.(after());
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

/** Settings of every add-on by its name, lists and maps read. */
async function settingsOf(pools: readonly OkePool[]): Promise<Record<string, Record<string, unknown>>> {
  const deployment = await addons(pools);
  return Object.fromEntries(
    deployment.ofType(ADDON).map(({ inputs }) => {
      const configurations = inputs.configurations as { key: string; value: string }[];
      const read = configurations.map(({ key, value }) => [key, /^[[{]/.test(value) ? JSON.parse(value) : value]);
      return [String(inputs.addonName), Object.fromEntries(read)];
    }),
  );
}

const TOLERATED = [
  { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
  { key: "dedicated", operator: "Equal", value: "inference", effect: "NoSchedule" },
];
const UNCERTIFIED_TOLERATED = { ...UNCERTIFIED, operator: "Exists" };

describe("NVIDIA's operators", () => {
  it("serve nodes with RDMA devices, before the devices were tried too", async () => {
    const settings = await settingsOf([SYSTEM, A10, H100]);
    expect(Object.keys(settings)).toEqual([
      "CoreDNS",
      "NodeFeatureDiscovery",
      "NvidiaGpuOperator",
      "NvidiaNetworkOperator",
    ]);
    expect(settings.NodeFeatureDiscovery).toEqual({ "worker.tolerations": [...TOLERATED, UNCERTIFIED_TOLERATED] });
    expect(settings.NvidiaGpuOperator).toEqual({
      "cdi.enabled": "true",
      "daemonsets.tolerations": [...TOLERATED, UNCERTIFIED_TOLERATED],
      "dcgm.enabled": "false",
      "dcgmExporter.enabled": "false",
      "devicePlugin.enabled": "true",
      "devicePlugin.env": [
        { name: "PASS_DEVICE_SPECS", value: "true" },
        { name: "FAIL_ON_INIT_ERROR", value: "true" },
        { name: "DEVICE_LIST_STRATEGY", value: "cdi-cri" },
        { name: "DEVICE_ID_STRATEGY", value: "uuid" },
        { name: "NVIDIA_VISIBLE_DEVICES", value: "all" },
        { name: "NVIDIA_DRIVER_CAPABILITIES", value: "all" },
        { name: "MOFED_ENABLED", value: "false" },
      ],
      disableNvidiaGpuPlugin: "true",
      "mig.strategy": "mixed",
      "migManager.enabled": "false",
      skipNodeFeatureDiscoveryDependencyCheck: "false",
      "toolkit.enabled": "true",
    });
    expect(settings.NvidiaNetworkOperator).toEqual({
      "sriovNetworkOperator.enabled": "true",
      "nicClusterPolicy.tolerations": [...TOLERATED, UNCERTIFIED_TOLERATED],
    });
  });

  it("part cards, and let pods take turns on them", async () => {
    const parted = await settingsOf([SYSTEM, MIG]);
    expect(Object.keys(parted)).toEqual(["CoreDNS", "NodeFeatureDiscovery", "NvidiaGpuOperator"]);
    expect(parted.NvidiaGpuOperator).toMatchObject({ "mig.strategy": "mixed", "migManager.enabled": "true" });
    expect(parted.NvidiaGpuOperator).not.toHaveProperty(["devicePlugin.config.name"]);
    const turns = await settingsOf([SYSTEM, TURNS]);
    expect(turns.NvidiaGpuOperator).toMatchObject({
      "devicePlugin.config.name": "inference-device-plugin",
      "migManager.enabled": "false",
    });
  });

  it("leave AMD's cards to AMD's plugin, whose nodes get RDMA devices without a GPU operator", async () => {
    const settings = await settingsOf([SYSTEM, A10, AMD_RDMA]);
    expect(Object.keys(settings)).toEqual([
      "CoreDNS",
      "NvidiaGpuPlugin",
      "AmdGpuPlugin",
      "NodeFeatureDiscovery",
      "NvidiaNetworkOperator",
    ]);
    expect(settings.NvidiaNetworkOperator).toHaveProperty(["nicClusterPolicy.tolerations", 0], {
      key: "amd.com/gpu",
      operator: "Exists",
      effect: "NoSchedule",
    });
  });

  it("come one after the other", async () => {
    const deployment = await addons([SYSTEM, H100]);
    const needed = (name: string) =>
      deployment
        .resource(ADDON, name)
        .dependsOn.map((urn) => urn.split("::").at(-1))
        .sort();
    expect(needed("addons-node-features")).toEqual([]);
    expect(needed("addons-nvidia-operator")).toEqual(["addons-node-features"]);
    expect(needed("addons-nvidia-network")).toEqual(["addons-node-features", "addons-nvidia-operator"]);
  });

  it("leave the network's operator to who knows when nodes have settled", async () => {
    const after = () => [new pulumi.ComponentResource("test:index:Settled", "settled")];
    const deployment = await addons([SYSTEM, H100], { after });
    expect(deployment.resource(ADDON, "addons-nvidia-network").dependsOn).toContainEqual(
      expect.stringContaining("::settled"),
    );
    expect(deployment.resource(ADDON, "addons-nvidia-operator").dependsOn).not.toContainEqual(
      expect.stringContaining("::settled"),
    );
  });

  it("run their Deployments on GPU nodes where there are no others", async () => {
    const settings = await settingsOf([H100]);
    expect(settings.NodeFeatureDiscovery).toHaveProperty(["master.tolerations"]);
    expect(Object.keys(settings.NvidiaNetworkOperator ?? {})).toEqual([
      "nicClusterPolicy.deploymentTolerations",
      "nicClusterPolicy.tolerations",
      "operator.tolerations",
      "sriovNetworkOperator.enabled",
    ]);
    expect(settings.CoreDNS?.tolerations).toContainEqual(UNCERTIFIED_TOLERATED);
  });
});

describe("settings of add-ons", () => {
  it.each([
    ["one pool of each vendor", [SYSTEM, A10, AMD_RDMA]],
    ["RDMA, slices and turns", [SYSTEM, H100, MIG, TURNS]],
    ["GPU nodes alone, which grow", [okePool("BM.GPU.H100.8", { ...H100.plan, minNodes: 1, maxNodes: 3 })]],
  ])("have keys that Oracle's documentation has: %s", async (_what, pools) => {
    const unknown = Object.entries(await settingsOf(pools)).flatMap(([name, settings]) => {
      const { keys, notCommon = [] } = okeAddon(name);
      const known = [...keys, ...COMMON_ADDON_KEYS.filter((key) => !notCommon.includes(key))];
      return Object.keys(settings).filter((key) => !known.includes(key));
    });
    expect(unknown).toEqual([]);
  });
});
