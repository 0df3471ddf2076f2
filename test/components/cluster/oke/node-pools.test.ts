import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { nodePoolStatements } from "../../../../components/cluster/oke/compute-clusters";
import type { OkeKeys } from "../../../../components/cluster/oke/keys";
import type { OkeNetwork } from "../../../../components/cluster/oke/network";
import { OkeNodePools } from "../../../../components/cluster/oke/node-pools";
import type { OkePool } from "../../../../components/cluster/oke/settings";
import { defaultAnswers } from "../../../../offline/answers";
import { type Deployment, deploy } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";
import { settings } from "./fixture";

const SETTINGS = settings({ kubernetesVersion: "v1.34.2" });

const IMAGE = "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc";
const system = okePool(
  "VM.Standard.A1.Flex",
  { name: "system", minNodes: 2, maxNodes: 3 },
  { availabilityDomains: [1, 3] },
);
const a10 = okePool("VM.GPU.A10.1", { name: "a10", minNodes: 0, maxNodes: 2 }, { capacity: "spot" });
const h100 = okePool(
  "BM.GPU.H100.8",
  { name: "h100" },
  { computeCluster: true, image: IMAGE, bootVolumeGiB: 1500, evictionGraceMinutes: 60 },
);

function nodePools(pools: readonly OkePool[], preview = false): Promise<Deployment> {
  return deploy(
    () => {
      const id = (text: string) => pulumi.output(`ocid1.${text}`);
      const network = {
        subnetIds: { nodes: id("nodes"), pods: id("pods") },
        nsgIds: { nodes: id("nsg-nodes"), pods: id("nsg-pods") },
      } as unknown as OkeNetwork;
      const keys = { volumesKeyId: id("key") } as OkeKeys;
      void new OkeNodePools("pools", { settings: SETTINGS, clusterId: id("cluster"), network, keys, pools });
    },
    { preview },
  );
}

const NODE_POOL = "oci:ContainerEngine/nodePool:NodePool";

interface NodePoolInputs extends Readonly<Record<string, unknown>> {
  readonly nodeMetadata: { readonly user_data: string };
  readonly nodeConfigDetails: Readonly<Record<string, unknown>>;
  readonly nodeSourceDetails: Readonly<Record<string, unknown>>;
}

function inputsOf(deployment: Deployment, name: string): NodePoolInputs {
  return deployment.resource(NODE_POOL, `pools-${name}`).inputs as unknown as NodePoolInputs;
}

interface CloudConfig {
  readonly runcmd: readonly (readonly string[])[];
  readonly write_files: readonly { readonly path: string; readonly content: string; readonly permissions: string }[];
}

function cloudConfig(deployment: Deployment, name: string): CloudConfig {
  const text = Buffer.from(inputsOf(deployment, name).nodeMetadata.user_data, "base64").toString("utf8");
  expect(text.startsWith("#cloud-config\n")).toBe(true);
  return parse(text) as CloudConfig;
}

function kubelet(deployment: Deployment, name: string): string[] {
  const file = cloudConfig(deployment, name).write_files.find(({ path }) => path.endsWith("/kubelet-arguments"));
  return (file?.content ?? "").split("\n").filter((line) => line !== "");
}

describe.each([
  ["up", false],
  ["preview", true],
])("node pools, in %s", (_, preview) => {
  it("of Arm machines have every input that decides", async () => {
    const deployment = await nodePools([system, a10, h100], preview);
    const { nodeMetadata, ...inputs } = inputsOf(deployment, "system");
    expect(inputs).toEqual({
      clusterId: "ocid1.cluster",
      compartmentId: SETTINGS.compartmentId,
      name: "system",
      kubernetesVersion: "v1.34.2",
      nodeShape: "VM.Standard.A1.Flex",
      nodeShapeConfig: { ocpus: 4, memoryInGbs: 32 },
      nodeSourceDetails: {
        sourceType: "IMAGE",
        imageId: "ocid1.image.oc1..offline-oracle-linux-8.10-aarch64-2026.10.31-0-oke-1.34.2-1562",
        bootVolumeSizeInGbs: "100",
      },
      initialNodeLabels: [{ key: "inference-stacks.io/pool", value: "system" }],
      nodeConfigDetails: {
        size: 2,
        placementConfigs: [
          { availabilityDomain: "oFFl:OFFLINE-AD-1", subnetId: "ocid1.nodes" },
          { availabilityDomain: "oFFl:OFFLINE-AD-3", subnetId: "ocid1.nodes" },
        ],
        nsgIds: ["ocid1.nsg-nodes"],
        kmsKeyId: "ocid1.key",
        isPvEncryptionInTransitEnabled: true,
        nodePoolPodNetworkOptionDetails: {
          cniType: "OCI_VCN_IP_NATIVE",
          podSubnetIds: ["ocid1.pods"],
          podNsgIds: ["ocid1.nsg-pods"],
          maxPodsPerNode: 93,
        },
      },
      nodeEvictionNodePoolSettings: {
        evictionGraceDuration: "PT10M",
        isForceActionAfterGraceDuration: true,
        isForceDeleteAfterGraceDuration: true,
      },
      nodePoolCyclingDetails: {
        isNodeCyclingEnabled: true,
        cycleModes: ["INSTANCE_REPLACE"],
        maximumSurge: "1",
        maximumUnavailable: "0",
      },
      freeformTags: {
        "inference-stacks-environment": "test",
        // What the autoscaler knows of a pool without nodes.
        "cluster-autoscaler/node-ephemeral-storage": "85Gi",
      },
    });
    expect(Object.keys(nodeMetadata).sort()).toEqual(["areLegacyImdsEndpointsDisabled", "user_data"]);
    expect(nodeMetadata).toMatchObject({ areLegacyImdsEndpointsDisabled: "true" });
  });

  it("that may be taken back are of virtual machines, start at none, and never keep a machine spare", async () => {
    const inputs = inputsOf(await nodePools([system, a10, h100], preview), "a10");
    expect(inputs).toMatchObject({
      nodeShape: "VM.GPU.A10.1",
      nodeConfigDetails: {
        size: 0,
        placementConfigs: [
          {
            preemptibleNodeConfig: { preemptionAction: { type: "TERMINATE", isPreserveBootVolume: false } },
          },
        ],
        nodePoolPodNetworkOptionDetails: { maxPodsPerNode: 110 },
      },
      nodePoolCyclingDetails: { cycleModes: ["INSTANCE_REPLACE"], maximumSurge: "0", maximumUnavailable: "1" },
    });
    expect(inputs.nodeShapeConfig).toBeUndefined();
    expect(inputs.nodeSourceDetails.imageId).toContain("gen2-gpu-2026.10.31-0-oke-1.34.2");
  });

  it("with RDMA lie in a compute cluster of their own, in their availability domain, and keep their machines", async () => {
    const deployment = await nodePools([system, a10, h100], preview);
    expect(
      deployment.ofType("oci:Core/computeCluster:ComputeCluster").map(({ name, inputs }) => [name, inputs]),
    ).toEqual([
      [
        "pools-h100-rdma",
        {
          compartmentId: SETTINGS.compartmentId,
          availabilityDomain: "oFFl:OFFLINE-AD-1",
          displayName: "h100",
          freeformTags: { "inference-stacks-environment": "test" },
        },
      ],
    ]);
    expect(inputsOf(deployment, "h100")).toMatchObject({
      nodeSourceDetails: { imageId: IMAGE, bootVolumeSizeInGbs: "1500" },
      nodeConfigDetails: {
        // In a preview nobody knows the id of what is still to be made.
        ...(!preview && { computeClusterId: "pools-h100-rdma-id" }),
        isPvEncryptionInTransitEnabled: false,
        placementConfigs: [{ availabilityDomain: "oFFl:OFFLINE-AD-1", subnetId: "ocid1.nodes" }],
      },
      nodeEvictionNodePoolSettings: { evictionGraceDuration: "PT60M" },
      nodePoolCyclingDetails: { cycleModes: ["BOOT_VOLUME_REPLACE"], maximumSurge: "0", maximumUnavailable: "1" },
    });
    expect(cloudConfig(deployment, "h100").runcmd[0]?.slice(3)).toEqual(["v1.34.2", "unlimited"]);
    expect(cloudConfig(deployment, "a10").runcmd[0]?.slice(3)).toEqual(["v1.34.2"]);
  });
});

describe("a node pool", () => {
  it("is made anew, and before the old one goes, where nodes would not follow or OKE would refuse", async () => {
    const deployment = await nodePools([system, a10, h100]);
    const optionsOf = (name: string) => deployment.resource(NODE_POOL, `pools-${name}`).options;
    const always = [
      "nodeShape",
      "nodeConfigDetails.placementConfigs",
      "nodeConfigDetails.kmsKeyId",
      "nodeConfigDetails.nodePoolPodNetworkOptionDetails",
    ];
    expect(optionsOf("system")).toMatchObject({
      deleteBeforeReplace: false,
      replaceOnChanges: [...always, "kubernetesVersion"],
      ignoreChanges: ["nodeConfigDetails.size", "nodeSourceDetails.imageId"],
    });
    expect(optionsOf("h100")).toMatchObject({
      replaceOnChanges: [
        ...always,
        "initialNodeLabels",
        "nodeConfigDetails.isPvEncryptionInTransitEnabled",
        "nodeConfigDetails.nsgIds",
      ],
      // Not autoscaled, and its image is the environment's.
      ignoreChanges: [],
    });
  });

  it.each([
    [
      "instance",
      { isNodeCyclingEnabled: true, cycleModes: ["INSTANCE_REPLACE"], maximumSurge: "0", maximumUnavailable: "1" },
      false,
    ],
    ["off", { isNodeCyclingEnabled: false }, true],
  ] as const)("of GPUs has its changes brought to its nodes as it asks: %s", async (cycling, details, isReplaced) => {
    const deployment = await nodePools([system, { ...h100, cycling }]);
    expect(inputsOf(deployment, "h100").nodePoolCyclingDetails).toEqual(details);
    const { replaceOnChanges } = deployment.resource(NODE_POOL, "pools-h100").options;
    expect(replaceOnChanges?.includes("initialNodeLabels")).toBe(isReplaced);
  });

  it("of a reservation takes its machines out of it", async () => {
    const reservation = "ocid1.capacityreservation.oc1.eu-frankfurt-1.r";
    const reserved = okePool("BM.GPU.H100.8", { name: "h100" }, { capacity: { reservation }, image: IMAGE });
    expect(inputsOf(await nodePools([reserved]), "h100").nodeConfigDetails.placementConfigs).toEqual([
      { availabilityDomain: "oFFl:OFFLINE-AD-1", subnetId: "ocid1.nodes", capacityReservationId: reservation },
    ]);
  });

  it("asks for no images where all are named", async () => {
    const answers = {
      ...defaultAnswers,
      call: (token: string, inputs: unknown) => {
        if (token.includes("getNodePoolOption")) {
          throw new Error("nobody needs the images");
        }
        return { ...(inputs as object), availabilityDomains: [{ name: "x:R-AD-1" }] };
      },
      state: (_type: string, _name: string, inputs: Readonly<Record<string, unknown>>) => ({ ...inputs }),
    };
    const deployment = await deploy(
      () => {
        const network = { subnetIds: {}, nsgIds: {} } as unknown as OkeNetwork;
        const args = { settings: SETTINGS, clusterId: pulumi.output("c"), network, keys: {} as OkeKeys, pools: [h100] };
        void new OkeNodePools("pools", args);
      },
      { answers },
    );
    expect(inputsOf(deployment, "h100").nodeSourceDetails.imageId).toBe(IMAGE);
  });

  it("tells the kubelet its taints, and gives engines cores of their own where the plan has a whole one to spare", async () => {
    const numa = okePool("BM.GPU.H100.8", { name: "h100", numa: "restricted" });
    const unknown = okePool("BM.GPU.MI300X.8", { name: "mi300x", numa: "best-effort" });
    const deployment = await nodePools([system, numa, { ...unknown, image: IMAGE }]);
    expect(kubelet(deployment, "system")).toEqual([]);
    expect(cloudConfig(deployment, "system").runcmd).toHaveLength(1);
    expect(kubelet(deployment, "h100")).toEqual([
      "--register-with-taints=nvidia.com/gpu=present:NoSchedule,dedicated=inference:NoSchedule",
      "--cpu-manager-policy=static",
      "--topology-manager-policy=restricted",
      "--topology-manager-scope=pod",
    ]);
    // Which CPUs the system keeps is the machine's to say, before it joins; with the memory nodes that the plan counts with.
    const cpus = ["bash", "/usr/local/sbin/kubelet-cpus.sh", "/etc/inference-stacks/kubelet-arguments", "6"];
    expect(cloudConfig(deployment, "h100").runcmd.map((command) => command.slice(0, 5))).toEqual([
      [...cpus, "2"],
      ["bash", "/usr/local/sbin/join-oke.sh", "/etc/inference-stacks/kubelet-arguments", "v1.34.2"],
    ]);
    expect(kubelet(deployment, "mi300x")).toContain("--topology-manager-policy=best-effort");
    expect(cloudConfig(deployment, "mi300x").runcmd[0]).toEqual(cpus);
    const small = await nodePools([okePool("VM.GPU3.1", { name: "v100" })]);
    expect(kubelet(small, "v100")).toEqual([
      "--register-with-taints=nvidia.com/gpu=present:NoSchedule,dedicated=inference:NoSchedule",
    ]);
  });

  it("labels its nodes with their block of the RDMA network, where the label is one of Oracle's", async () => {
    const commands = async (topologyLabel: string) => {
      const fabric = { kind: "roce", access: "host-network", gbps: 3200, environment: {}, topologyLabel } as const;
      const device = { resource: "nvidia.com/rdma-vf", perNode: 16 };
      const pool = okePool("BM.GPU.H100.8", { name: "h100", fabric: { ...fabric, device } }, { image: IMAGE });
      return cloudConfig(await nodePools([pool]), "h100").runcmd.map((command) => command.slice(1));
    };
    const label = "oci.oraclecloud.com/rdma.network_block_id";
    expect((await commands(label))[0]).toEqual([
      "/usr/local/sbin/rdma-block.sh",
      "/etc/inference-stacks/kubelet-arguments",
      label,
      "customerNetworkBlock",
      "networkBlockId",
    ]);
    expect(await commands("example.com/block")).toHaveLength(1);
  });

  it("keeps the kubelet's folder on local disks before and after it joins, where the plan has them", async () => {
    const disks = okePool("BM.GPU.H100.8", { name: "h100", localDisks: true }, { image: IMAGE });
    const deployment = await nodePools([disks, a10]);
    const { runcmd, write_files } = cloudConfig(deployment, "h100");
    expect(runcmd.map((command) => command.slice(0, 3).join(" "))).toEqual([
      "systemctl daemon-reload",
      "systemctl enable --now",
      "bash /usr/local/sbin/join-oke.sh /etc/inference-stacks/kubelet-arguments",
      "bash /usr/local/sbin/local-disks.sh keep",
    ]);
    const unit = write_files.find(({ path }) => path === "/etc/systemd/system/inference-stacks-local-disks.service");
    expect(unit).toMatchObject({ permissions: "0644", content: expect.stringContaining("Before=kubelet.service") });
    expect(JSON.stringify(cloudConfig(deployment, "a10"))).not.toContain("local-disks");
  });

  it("has what cloud-init needs with room to spare within the 32,000 bytes that metadata may have", async () => {
    const most = okePool("BM.GPU.H100.8", { name: "h100", localDisks: true, numa: "restricted" }, { image: IMAGE });
    const deployment = await nodePools([system, a10, most]);
    for (const [name, bytes] of [
      ["system", 12_000],
      ["a10", 12_000],
      ["h100", 24_000],
    ] as const) {
      expect(inputsOf(deployment, name).nodeMetadata.user_data.length).toBeLessThan(bytes);
    }
    const script = cloudConfig(deployment, "a10").write_files.find(({ path }) => path.endsWith(".sh"));
    expect(script).toMatchObject({ path: "/usr/local/sbin/join-oke.sh", permissions: "0700" });
    expect(script?.content.startsWith("#!/usr/bin/env bash\n# From inference-stacks")).toBe(true);
  });
});

describe("what node pools may do", () => {
  it("is nothing, unless one of them needs a compute cluster or a reservation", () => {
    expect(nodePoolStatements(SETTINGS, [system, a10])).toEqual([]);
    const reserved = okePool("BM.GPU.H100.8", {}, { capacity: { reservation: "ocid1.capacityreservation.oc1..r" } });
    expect(nodePoolStatements(SETTINGS, [system, h100, reserved])).toEqual([
      "Allow any-user to {COMPUTE_CLUSTER_LAUNCH_INSTANCE} in compartment id ocid1.compartment.oc1..c where ALL {request.principal.type='nodepool'}",
      "Allow any-user to use compute-capacity-reservations in compartment id ocid1.compartment.oc1..c where ALL {request.principal.type='nodepool'}",
    ]);
  });
});
