import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { OkeCluster } from "../../../../components/cluster/oke/cluster";
import type { OkePool, OkeSettings } from "../../../../components/cluster/oke/settings";
import { type Deployment, deploy, resolved } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";
import { settings } from "./fixture";

const CONTROL_PLANE = "oci:ContainerEngine/cluster:Cluster";
const POLICY = "oci:Identity/policy:Policy";
const PROVIDER = "pulumi:providers:oci";
const KUBERNETES = "pulumi:providers:kubernetes";
const TAGS = { "inference-stacks-environment": "test" };

const POOLS: readonly OkePool[] = [okePool("VM.Standard.E5.Flex", { name: "system", minNodes: 2, maxNodes: 3 })];

interface Made {
  readonly deployment: Deployment;
  readonly cluster: OkeCluster;
}

async function make(
  changes: Partial<OkeSettings> = {},
  { preview = false, pools = POOLS }: { preview?: boolean; pools?: readonly OkePool[] } = {},
): Promise<Made> {
  let cluster: OkeCluster | undefined;
  const deployment = await deploy(
    () => {
      cluster = new OkeCluster("cluster", {
        settings: settings(changes),
        pools,
        storageClass: undefined,
        gpuExporters: "platform",
        privateCidrs: ["172.32.0.0/16"],
        apiServerCidrs: [],
      });
    },
    { preview },
  );
  return { deployment, cluster: cluster as unknown as OkeCluster };
}

describe("OkeCluster", () => {
  it("makes an enhanced, private control plane in its own network, with its own key", async () => {
    const { deployment } = await make();
    const { inputs, options } = deployment.resource(CONTROL_PLANE, "cluster-control-plane");
    expect(inputs).toEqual({
      compartmentId: "ocid1.compartment.oc1..c",
      vcnId: "cluster-network-vcn-id",
      kubernetesVersion: "v1.34.1",
      name: "test",
      type: "ENHANCED_CLUSTER",
      kmsKeyId: "cluster-keys-secrets-id",
      endpointConfig: {
        subnetId: "cluster-network-endpoint-id",
        isPublicIpEnabled: false,
        nsgIds: ["cluster-network-nsg-endpoint-id"],
      },
      clusterPodNetworkOptions: [{ cniType: "OCI_VCN_IP_NATIVE" }],
      options: {
        kubernetesNetworkConfig: { servicesCidr: "10.96.0.0/16" },
        serviceLbSubnetIds: ["cluster-network-load-balancers-id"],
        serviceLbConfig: { freeformTags: TAGS },
        persistentVolumeConfig: { freeformTags: TAGS },
      },
      freeformTags: TAGS,
    });
    expect(options).toMatchObject({ protect: false, ignoreChanges: [] });
  });

  it("protects the control plane in production: what would replace it is refused", async () => {
    const { deployment } = await make({ protect: true });
    expect(deployment.resource(CONTROL_PLANE, "cluster-control-plane").options.protect).toBe(true);
  });

  it("opens the endpoint only where it is asked to", async () => {
    const { deployment } = await make({ endpoint: { public: true, allowedCidrs: ["203.0.113.0/24"] } });
    expect(deployment.resource(CONTROL_PLANE, "cluster-control-plane").inputs.endpointConfig).toMatchObject({
      isPublicIpEnabled: true,
    });
  });

  it("writes policies in the home region, and waits for them before it makes the control plane", async () => {
    const { deployment } = await make();
    const home = deployment.resource(PROVIDER, "cluster-home");
    const region = deployment.resource(PROVIDER, "cluster-oci");
    expect(home.inputs).toMatchObject({ region: "us-ashburn-1" });
    expect(region.inputs).toMatchObject({ region: "eu-frankfurt-1" });
    const policies = deployment.ofType(POLICY);
    expect(policies.length).toBeGreaterThan(0);
    for (const { provider } of policies) {
      expect(provider).toBe(`${home.urn}::cluster-home-id`);
    }
    const controlPlane = deployment.resource(CONTROL_PLANE, "cluster-control-plane");
    expect(controlPlane.provider).toBe(`${region.urn}::cluster-oci-id`);
    expect(controlPlane.dependsOn).toEqual([deployment.resource(POLICY, "cluster-identity-keys").urn]);
  });

  it("gives credentials nowhere: providers take those of whoever deploys", async () => {
    const { deployment } = await make();
    for (const { inputs } of deployment.ofType(PROVIDER)) {
      expect(Object.keys(inputs)).toEqual(["region"]);
    }
  });

  it("keeps the kubeconfig secret, and tells the cluster by its OCID when that text changes", async () => {
    const { deployment } = await make();
    const { inputs, secretInputs } = deployment.resource(KUBERNETES, "cluster-kubernetes");
    expect(secretInputs).toEqual(["kubeconfig"]);
    expect(inputs).toMatchObject({ clusterIdentifier: "cluster-control-plane-id" });
    expect(String(inputs.kubeconfig)).toContain("cluster-control-plane-id");
    expect(String(inputs.kubeconfig)).toContain("generate-token");
    expect(String(inputs.kubeconfig)).not.toContain('"token"');
  });

  it("knows nothing of the API server in a preview of what does not exist, and plans the same resources", async () => {
    const preview = await make({}, { preview: true });
    const { inputs } = preview.deployment.resource(KUBERNETES, "cluster-kubernetes");
    // With inputs that are not known, Pulumi's engine starts no provider (see kubeconfig.ts).
    expect(pulumi.isUnknown(inputs.clusterIdentifier)).toBe(true);
    expect(pulumi.isUnknown(inputs.kubeconfig)).toBe(true);
    const up = await make();
    expect(preview.deployment.tree()).toBe(up.deployment.tree());
  });

  it("has the platform wait for its own nodes and for names, and pods of a pool for its nodes and for GPUs", async () => {
    const a10 = okePool("VM.GPU.A10.1", { name: "a10", minNodes: 0, maxNodes: 2 });
    const { cluster } = await make({}, { pools: [...POOLS, a10] });
    const names = async (resources: readonly pulumi.Resource[] = []) => {
      const urns = await Promise.all(resources.map((each) => resolved((each as pulumi.CustomResource).urn)));
      return urns.map((urn) => urn.slice(urn.lastIndexOf("::") + 2));
    };
    expect(await names(cluster.ready)).toEqual(["cluster-pools-system", "cluster-addons-dns"]);
    expect(await names(cluster.gpusReady)).toEqual(["cluster-addons-nvidia"]);
    expect(await names(cluster.poolsReady.a10)).toEqual(["cluster-pools-a10", "cluster-addons-autoscaler"]);
  });

  it("keeps every name when a version, a shape, a key or the endpoint changes", async () => {
    const names = ({ deployment }: Made) => deployment.recording.resources.map(({ urn }) => urn);
    const before = names(await make());
    expect(names(await make({ kubernetesVersion: "v1.35.0" }))).toEqual(before);
    expect(names(await make({ protect: true }))).toEqual(before);
    expect(names(await make({ homeRegion: "eu-frankfurt-1" }))).toEqual(before);
    const other = [okePool("VM.Standard.E4.Flex", { name: "system", minNodes: 2, maxNodes: 3 })];
    expect(names(await make({}, { pools: other }))).toEqual(before);
  });

  it("tells the platform its networks, and a class of volumes with its own key", async () => {
    const { cluster } = await make();
    expect(cluster.privateCidrs).toEqual(["172.32.0.0/16", "10.0.0.0/16", "10.96.0.0/16"]);
    expect(cluster.apiServerCidrs).toEqual(["10.0.0.0/28", "10.96.0.0/16"]);
    expect(cluster.storageClass).toBe("inference-encrypted");
    expect(await resolved(cluster.volumeClass?.parameters["kms-key-id"] ?? "")).toBe("cluster-keys-volumes-id");
  });
});
