import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { OkeCluster } from "../../../../components/cluster/oke/cluster";
import type { OkePool } from "../../../../components/cluster/oke/settings";
import { defaultAnswers } from "../../../../offline/answers";
import { type Deployment, deploy, resolved } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";
import { settings } from "./fixture";

const SETTINGS = settings({ kubernetesVersion: "v1.34.2" });
const TAGS = { "inference-stacks-environment": "test" };
const CONFIGURATION = "oci:Core/instanceConfiguration:InstanceConfiguration";
const CLUSTER_NETWORK = "oci:Core/clusterNetwork:ClusterNetwork";
const INSTANCE_POOL = "oci:Core/instancePool:InstancePool";
const POLICY = "oci:Identity/policy:Policy";
const GROUP = "oci:Identity/dynamicGroup:DynamicGroup";

/** As long as those of clusters are. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\n${"abc\n".repeat(400)}-----END CERTIFICATE-----\n`;
const AUTHORITY = Buffer.from(CERTIFICATE).toString("base64");

const system = okePool("VM.Standard.A1.Flex", { name: "system", minNodes: 2 });
const reservation = "ocid1.capacityreservation.oc1.eu-frankfurt-1.r";
const rdma = okePool(
  "BM.GPU.H100.8",
  { name: "h100", minNodes: 2, localDisks: true },
  {
    madeBy: "cluster-network",
    image: "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc",
    availabilityDomains: [2],
    bootVolumeGiB: 1500,
    capacity: { reservation },
  },
);
const secret = okePool(
  "VM.Standard.E5.Flex",
  { name: "secret", role: "cpu", minNodes: 3, confidential: true },
  { madeBy: "instance-pool", image: "ocid1.image.oc1.eu-frankfurt-1.ubuntu", availabilityDomains: [1, 3] },
);

/** A cloud whose kubeconfigs have an authority. */
const answers = {
  ...defaultAnswers,
  call: (token: string, inputs: unknown) => {
    const answer = defaultAnswers.call(token, inputs as Record<string, unknown>) as Record<string, unknown>;
    return token.includes("getClusterKubeConfig")
      ? { ...answer, content: String(answer.content).replace('authority-data":""', `authority-data":"${AUTHORITY}"`) }
      : answer;
  },
};

async function make(pools: readonly OkePool[], preview = false) {
  let cluster: OkeCluster | undefined;
  const deployment = await deploy(
    () => {
      cluster = new OkeCluster("cluster", {
        settings: SETTINGS,
        pools,
        storageClass: undefined,
        gpuExporters: "platform",
        privateCidrs: [],
        apiServerCidrs: [],
      });
    },
    { preview, answers },
  );
  return { deployment, cluster: cluster as unknown as OkeCluster };
}

interface Launch {
  readonly metadata: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

function launch(deployment: Deployment, pool: string): Launch {
  const { inputs } = deployment.resource(CONFIGURATION, `cluster-self-managed-${pool}-machine`);
  const { instanceType, launchDetails } = inputs.instanceDetails as { instanceType: string; launchDetails: Launch };
  expect(instanceType).toBe("compute");
  return launchDetails;
}

function written({ metadata }: Launch): Readonly<Record<string, string>> {
  const text = Buffer.from(metadata.user_data ?? "", "base64").toString("utf8");
  const { write_files } = parse(text) as { write_files: readonly { path: string; content: string }[] };
  return Object.fromEntries(write_files.map(({ path, content }) => [path, content]));
}

describe("machines of a cluster network", () => {
  it("are made with every input that decides", async () => {
    const { deployment } = await make([system, rdma]);
    const { metadata, ...details } = launch(deployment, "h100");
    expect(details).toEqual({
      compartmentId: SETTINGS.compartmentId,
      shape: "BM.GPU.H100.8",
      sourceDetails: {
        sourceType: "image",
        imageId: "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc",
        bootVolumeSizeInGbs: "1500",
        kmsKeyId: "cluster-keys-volumes-id",
      },
      createVnicDetails: {
        subnetId: "cluster-network-nodes-id",
        nsgIds: ["cluster-network-nsg-nodes-id"],
        assignPublicIp: false,
      },
      agentConfig: {
        areAllPluginsDisabled: false,
        isManagementDisabled: false,
        isMonitoringDisabled: false,
        pluginsConfigs: [
          { name: "Compute HPC RDMA Authentication", desiredState: "ENABLED" },
          { name: "Compute HPC RDMA Auto-Configuration", desiredState: "ENABLED" },
          { name: "Compute RDMA GPU Monitoring", desiredState: "ENABLED" },
        ],
      },
      instanceOptions: { areLegacyImdsEndpointsDisabled: true },
      isPvEncryptionInTransitEnabled: false,
      capacityReservationId: reservation,
      freeformTags: TAGS,
    });
    const { user_data, ...told } = metadata;
    expect(told).toEqual({
      apiserver_host: "10.0.0.2",
      cluster_ca_cert: AUTHORITY,
      "oke-k8version": "v1.34.2",
      "oke-kubeproxy-proxy-mode": "iptables",
      "oke-tenancy-id": SETTINGS.tenancyId,
      "oke-initial-node-labels": "inference-stacks.io/pool=h100,oci.oraclecloud.com/vcn-native-ip-cni=true",
      "oke-native-pod-networking": "true",
      "oke-max-pods": "110",
      "pod-subnets": "cluster-network-pods-id",
      "pod-nsgids": "cluster-network-nsg-pods-id",
    });
    const files = written({ metadata });
    expect(files["/etc/oke/oke-apiserver"]).toBe("10.0.0.2");
    expect(files["/etc/kubernetes/ca.crt"]).toBe(CERTIFICATE);
    expect(files["/etc/inference-stacks/kubelet-arguments"]).toContain("--register-with-taints=nvidia.com/gpu=present");
    expect(Buffer.from(user_data ?? "", "base64").toString("utf8")).toContain('"unlimited"');
  });

  it("are one cluster network, in its availability domain, with as many machines as the plan has", async () => {
    const { deployment } = await make([system, rdma]);
    const { inputs, options } = deployment.resource(CLUSTER_NETWORK, "cluster-self-managed-h100");
    expect(inputs).toEqual({
      compartmentId: SETTINGS.compartmentId,
      displayName: "h100",
      instancePools: [
        { instanceConfigurationId: "cluster-self-managed-h100-machine-id", displayName: "h100", size: 2 },
      ],
      placementConfiguration: {
        availabilityDomain: "oFFl:OFFLINE-AD-2",
        primarySubnetId: "cluster-network-nodes-id",
      },
      freeformTags: { ...TAGS, "inference-stacks-shape": "BM.GPU.H100.8" },
    });
    expect(options).toMatchObject({
      deleteBeforeReplace: false,
      ignoreChanges: [],
      protect: false,
      replaceOnChanges: ['freeformTags["inference-stacks-shape"]'],
    });
    expect(deployment.ofType("oci:ContainerEngine/nodePool:NodePool").map(({ name }) => name)).toEqual([
      "cluster-pools-system",
    ]);
  });
});

describe("machines whose memory is encrypted", () => {
  it("are made so, in every availability domain of their pool", async () => {
    const { deployment } = await make([system, secret]);
    const { metadata, ...details } = launch(deployment, "secret");
    expect(details).toMatchObject({
      shape: "VM.Standard.E5.Flex",
      shapeConfig: { ocpus: 4, memoryInGbs: 32 },
      platformConfig: { type: "AMD_VM", isMemoryEncryptionEnabled: true },
      isPvEncryptionInTransitEnabled: true,
      agentConfig: { pluginsConfigs: [] },
    });
    expect(details).not.toHaveProperty("capacityReservationId");
    expect(metadata["oke-max-pods"]).toBe("93");
    expect(Buffer.from(metadata.user_data ?? "", "base64").toString("utf8")).not.toContain('"unlimited"');
    expect(deployment.resource(INSTANCE_POOL, "cluster-self-managed-secret").inputs).toEqual({
      compartmentId: SETTINGS.compartmentId,
      displayName: "secret",
      instanceConfigurationId: "cluster-self-managed-secret-machine-id",
      size: 3,
      placementConfigurations: ["oFFl:OFFLINE-AD-1", "oFFl:OFFLINE-AD-3"].map((availabilityDomain) => ({
        availabilityDomain,
        primarySubnetId: "cluster-network-nodes-id",
      })),
      freeformTags: { ...TAGS, "inference-stacks-shape": "VM.Standard.E5.Flex" },
    });
  });
});

describe("machines that join by themselves", () => {
  it("may join this cluster and no other, and use the key of their disks, by policies of the home region", async () => {
    const { deployment } = await make([system, rdma, secret]);
    const [group, ...others] = deployment.ofType(GROUP);
    expect(others).toEqual([]);
    expect(group?.inputs).toEqual({
      compartmentId: SETTINGS.tenancyId,
      description: "Machines that may join the OKE cluster test",
      matchingRule: `ALL {instance.compartment.id = '${SETTINGS.compartmentId}'}`,
      freeformTags: TAGS,
    });
    const statements = (name: string) => deployment.resource(POLICY, name).inputs.statements;
    expect(statements("cluster-self-managed-identity-join")).toEqual([
      `Allow dynamic-group id ${group?.name}-id to {CLUSTER_JOIN} in compartment id ${SETTINGS.compartmentId} where ALL {target.cluster.id='cluster-control-plane-id'}`,
    ]);
    expect(statements("cluster-self-managed-identity-disks")).toEqual([
      `Allow dynamic-group id ${group?.name}-id to use key-delegates in compartment id ${SETTINGS.compartmentId} where target.key.id='cluster-keys-volumes-id'`,
    ]);
    const home = deployment.resource("pulumi:providers:oci", "cluster-home");
    for (const { provider } of [...deployment.ofType(POLICY), ...deployment.ofType(GROUP)]) {
      expect(provider).toBe(`${home.urn}::cluster-home-id`);
    }
  });

  it("out of a reservation ask for no right of node pools", async () => {
    const { deployment } = await make([system, rdma]);
    expect(deployment.ofType(POLICY).map(({ name }) => name)).not.toContain("cluster-identity-pools");
  });

  it("come after what lets them in, and before the models of their pools alone", async () => {
    const { deployment, cluster } = await make([system, rdma, secret]);
    const policies = deployment.ofType(POLICY).filter(({ name }) => name.includes("-self-managed-"));
    for (const type of [CLUSTER_NETWORK, INSTANCE_POOL]) {
      const [made] = deployment.ofType(type);
      expect(made?.dependsOn).toEqual(expect.arrayContaining(policies.map(({ urn }) => urn)));
      expect(made?.dependsOn).toContain(deployment.resource("inference:cluster:OkeNetwork", "cluster-network").urn);
    }
    const names = async (resources: readonly pulumi.Resource[] = []) => {
      const urns = await Promise.all(resources.map((each) => resolved((each as pulumi.CustomResource).urn)));
      return urns.map((urn) => urn.slice(urn.lastIndexOf("::") + 2));
    };
    expect(await names(cluster.poolsReady.h100)).toContain("cluster-self-managed-h100");
    expect(await names(cluster.poolsReady.secret)).toContain("cluster-self-managed-secret");
    expect((await names(cluster.ready)).filter((name) => name.includes("self-managed"))).toEqual([]);
  });

  it("hold nothing secret in what they are made with, and are planned the same in a preview", async () => {
    const up = await make([system, rdma, secret]);
    for (const { secretInputs } of up.deployment.ofType(CONFIGURATION)) {
      expect(secretInputs).toEqual([]);
    }
    const preview = await make([system, rdma, secret], true);
    expect(preview.deployment.tree()).toBe(up.deployment.tree());
  });

  it("have what cloud-init needs within the 32,000 bytes that all metadata may have", async () => {
    const { deployment } = await make([system, rdma, secret]);
    for (const pool of ["h100", "secret"]) {
      expect(JSON.stringify(launch(deployment, pool).metadata).length).toBeLessThan(32_000);
    }
  });

  it("are nothing to a cluster that has none of them", async () => {
    const { deployment } = await make([system]);
    expect(deployment.ofType(GROUP)).toEqual([]);
    expect(deployment.tree()).not.toContain("SelfManaged");
  });
});
