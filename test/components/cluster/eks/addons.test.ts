import { Resource } from "@pulumi/aws/cloudcontrol/resource";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { EKS_ADDON_KUBERNETES, eksAddonVersion } from "../../../../catalog/eks";
import { EKS_ADDONS } from "../../../../components/cluster/eks/addon-table";
import { EksAddons } from "../../../../components/cluster/eks/addons";
import { type Deployment, deploy } from "../../../harness/deploy";
import { settings } from "./fixture";

const ADDON = "aws:eks/addon:Addon";
const KEY = "arn:aws:kms:us-east-1:111122223333:key/k";
const CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/test";

function addonsOf(
  kubernetesVersion = "1.34",
  addonVersions: ReturnType<typeof settings>["addonVersions"] = {},
): Promise<Deployment> {
  return deploy(() => {
    const addons = new EksAddons("cluster-addons", {
      settings: settings({ kubernetesVersion, addonVersions }),
      controlPlane: { clusterArn: pulumi.output(CLUSTER), clusterName: pulumi.output("test") },
      keys: { volumesKeyArn: pulumi.output(KEY) },
    });
    const node = new Resource("node", { typeName: "AWS::Test::Node", desiredState: "{}" });
    addons.installOn([node]);
  });
}

describe("EksAddons", () => {
  it("installs what nodes wait for first, and waits for nodes with the rest", async () => {
    const deployment = await addonsOf();
    const node = deployment.resource("aws:cloudcontrol/resource:Resource", "node");
    const waiting = deployment.ofType(ADDON).map(({ name, dependsOn }) => ({
      name,
      waits: dependsOn.includes(node.urn),
    }));
    expect(waiting).toEqual([
      { name: "cluster-addons-identity-agent", waits: false },
      { name: "cluster-addons-pod-network", waits: false },
      { name: "cluster-addons-proxy", waits: false },
      { name: "cluster-addons-dns", waits: true },
      { name: "cluster-addons-volumes", waits: true },
      { name: "cluster-addons-metrics", waits: true },
    ]);
  });

  it("lets the pod network enforce network policies, as a role of its own", async () => {
    const deployment = await addonsOf();
    expect(deployment.resource(ADDON, "cluster-addons-pod-network").inputs).toEqual({
      clusterName: "test",
      addonName: "vpc-cni",
      addonVersion: "v1.22.4-eksbuild.3",
      resolveConflictsOnCreate: "OVERWRITE",
      resolveConflictsOnUpdate: "OVERWRITE",
      configurationValues: '{"enableNetworkPolicy":"true"}',
      podIdentityAssociations: [
        {
          serviceAccount: "aws-node",
          roleArn: "arn:aws:iam::111122223333:role/offline-cluster-addons-pod-network-rights-role",
        },
      ],
    });
    expect(attached(deployment, "pod-network")).toEqual(["arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"]);
  });

  it("tags volumes, and lets their driver use the key of disks alone", async () => {
    const deployment = await addonsOf();
    const { inputs } = deployment.resource(ADDON, "cluster-addons-volumes");
    expect(JSON.parse(inputs.configurationValues as string)).toEqual({
      controller: { extraVolumeTags: { "inference-stacks-environment": "test" } },
    });
    expect(attached(deployment, "volumes")).toEqual([
      "arn:aws:iam::aws:policy/AmazonEBSCSIDriverPolicyV2",
      "arn:aws:iam::111122223333:policy/offline-cluster-addons-volumes-rights-disks-policy",
    ]);
    const policy = deployment.resource("aws:iam/policy:Policy", "cluster-addons-volumes-rights-disks-policy");
    expect(JSON.parse(policy.inputs.policy as string).Statement).toEqual([
      {
        Sid: "UseKeyOfDisks",
        Effect: "Allow",
        Action: ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext"],
        Resource: [KEY],
      },
      {
        Sid: "KeepKeyForAttachedDisks",
        Effect: "Allow",
        Action: ["kms:CreateGrant"],
        Resource: [KEY],
        Condition: { Bool: { "kms:GrantIsForAWSResource": "true" } },
      },
    ]);
  });

  it("spreads name resolution over zones and nodes, and gives it no toleration of a pool's taints", async () => {
    const { inputs } = (await addonsOf()).resource(ADDON, "cluster-addons-dns");
    const values = JSON.parse(inputs.configurationValues as string);
    expect(Object.keys(values).sort()).toEqual(["autoScaling", "topologySpreadConstraints"]);
    expect(values.autoScaling).toEqual({ enabled: true, minReplicas: 2, maxReplicas: 10 });
    expect(values.topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey)).toEqual([
      "topology.kubernetes.io/zone",
      "kubernetes.io/hostname",
    ]);
  });

  it("leaves the version to Amazon where none is known for the cluster's", async () => {
    const { inputs } = (await addonsOf("1.99")).resource(ADDON, "cluster-addons-proxy");
    expect(inputs.addonVersion).toBeUndefined();
  });

  it("takes the environment's own version of one of them, and leaves the others", async () => {
    const deployment = await addonsOf("1.34", { "kube-proxy": "v1.34.9-eksbuild.1" });
    const version = (suffix: string) => deployment.resource(ADDON, `cluster-addons-${suffix}`).inputs.addonVersion;
    expect(version("proxy")).toBe("v1.34.9-eksbuild.1");
    expect(version("dns")).toBe(eksAddonVersion("1.34", "coredns"));
  });
});

describe("versions of add-ons", () => {
  it.each(EKS_ADDON_KUBERNETES)("are pinned for all of them on Kubernetes %s", (kubernetesVersion) => {
    for (const { addon } of EKS_ADDONS) {
      expect(eksAddonVersion(kubernetesVersion, addon), addon).toMatch(/^v\d+\.\d+\.\d+-eksbuild\.\d+$/);
    }
  });

  it.each(EKS_ADDON_KUBERNETES)("have a kube-proxy of Kubernetes %s itself", (kubernetesVersion) => {
    expect(eksAddonVersion(kubernetesVersion, "kube-proxy")).toMatch(new RegExp(`^v${kubernetesVersion}\\.`));
  });
});

/** ARNs of what is attached to the role of an add-on. */
function attached(deployment: Deployment, suffix: string): unknown[] {
  return deployment
    .ofType("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    .filter(({ name }) => name.startsWith(`cluster-addons-${suffix}-`))
    .map(({ inputs }) => inputs.policyArn);
}
