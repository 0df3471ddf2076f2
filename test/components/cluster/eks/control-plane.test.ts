import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { administratorKey } from "../../../../components/cluster/eks/access";
import { EksControlPlane } from "../../../../components/cluster/eks/control-plane";
import { eksKubeconfig } from "../../../../components/cluster/eks/kubeconfig";
import type { EksSettings } from "../../../../components/cluster/eks/settings";
import { type Deployment, deploy, resolved } from "../../../harness/deploy";
import { settings } from "./fixture";

const CLUSTER = "aws:eks/cluster:Cluster";
const LOGS = "aws:cloudwatch/logGroup:LogGroup";
const ENTRY = "aws:eks/accessEntry:AccessEntry";
const ASSOCIATION = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation";
const KEY_ARN = "arn:aws:kms:us-east-1:111122223333:key/secrets";

async function controlPlane(changes: Partial<EksSettings> = {}, preview = false) {
  let made: EksControlPlane | undefined;
  const ofZones = (kind: string) => ({
    "us-east-1a": pulumi.output(`${kind}-a`),
    "us-east-1b": pulumi.output(`${kind}-b`),
  });
  const deployment = await deploy(
    () => {
      made = new EksControlPlane("control-plane", {
        settings: settings(changes),
        network: {
          subnetIds: { nodes: ofZones("nodes"), controlPlane: ofZones("control-plane"), public: ofZones("public") },
        },
        keys: { secretsKeyArn: pulumi.output(KEY_ARN) },
      });
    },
    { preview },
  );
  return { deployment, controlPlane: made as unknown as EksControlPlane };
}

const cluster = (deployment: Deployment) => deployment.resource(CLUSTER, "control-plane-cluster");
const names = (urns: readonly string[]) => urns.map((urn) => urn.slice(urn.lastIndexOf("::") + 2));

describe("EksControlPlane", () => {
  it("makes a private control plane with its own key and all of its logs, in standard support", async () => {
    const { deployment } = await controlPlane();
    expect(cluster(deployment).inputs).toEqual({
      name: "test",
      version: "1.35",
      roleArn: "arn:aws:iam::111122223333:role/offline-control-plane-role-cluster-role",
      accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false },
      bootstrapSelfManagedAddons: false,
      vpcConfig: {
        subnetIds: ["control-plane-a", "control-plane-b"],
        endpointPrivateAccess: true,
        endpointPublicAccess: false,
      },
      kubernetesNetworkConfig: { ipFamily: "ipv4", serviceIpv4Cidr: "172.20.0.0/16" },
      encryptionConfig: { provider: { keyArn: KEY_ARN }, resources: ["secrets"] },
      enabledClusterLogTypes: ["api", "audit", "authenticator", "controllerManager", "scheduler"],
      upgradePolicy: { supportType: "STANDARD" },
      deletionProtection: false,
    });
  });

  it("opens a public endpoint to the operators alone, beside the private one", async () => {
    const office = "203.0.113.0/24";
    const { deployment } = await controlPlane({ endpoint: { public: true, allowedCidrs: [office, office] } });
    expect(cluster(deployment).inputs.vpcConfig).toEqual({
      subnetIds: ["control-plane-a", "control-plane-b"],
      endpointPrivateAccess: true,
      endpointPublicAccess: true,
      publicAccessCidrs: [office],
    });
  });

  it("lets operators in through the network, and keeps private addresses off the public list, which EKS refuses there", async () => {
    const rule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
    const vpn = "10.8.0.0/24";
    const office = "203.0.113.0/24";
    const { deployment } = await controlPlane({ endpoint: { public: true, allowedCidrs: [office, vpn] } });
    expect(cluster(deployment).inputs.vpcConfig).toMatchObject({ publicAccessCidrs: [office] });
    expect(deployment.ofType(rule).map(({ inputs }) => inputs)).toEqual([
      {
        securityGroupId: "offline-cluster-group",
        description: "Operators, to the Kubernetes API",
        cidrIpv4: vpn,
        ipProtocol: "tcp",
        fromPort: 443,
        toPort: 443,
        tags: { Name: "test-operators-10-8-0-0-24" },
      },
    ]);
    const inside = await controlPlane({ endpoint: { public: false, allowedCidrs: [office, vpn] } });
    expect(inside.deployment.ofType(rule).map(({ inputs }) => inputs.cidrIpv4)).toEqual([office, vpn]);
  });

  it("is not replaced over what EKS tells nothing of", async () => {
    const { deployment } = await controlPlane();
    expect(cluster(deployment).options.ignoreChanges).toEqual([
      "accessConfig.bootstrapClusterCreatorAdminPermissions",
      "bootstrapSelfManagedAddons",
    ]);
  });

  it("is replaced over another key of its secrets, which the provider would only write down", async () => {
    const { deployment } = await controlPlane();
    expect(cluster(deployment).options).toMatchObject({
      replaceOnChanges: ["encryptionConfig.provider.keyArn"],
      deleteBeforeReplace: true,
    });
  });

  it("protects what production runs on, by Pulumi and by EKS", async () => {
    const { deployment } = await controlPlane({ protect: true });
    expect(cluster(deployment).options.protect).toBe(true);
    expect(cluster(deployment).inputs.deletionProtection).toBe(true);
    expect(cluster((await controlPlane()).deployment).options.protect).toBe(false);
  });

  it("keeps logs for as long as was said, in a group that is there before the cluster", async () => {
    const { deployment } = await controlPlane({ logRetentionDays: 30 });
    expect(deployment.resource(LOGS, "control-plane-logs").inputs).toEqual({
      name: "/aws/eks/test/cluster",
      retentionInDays: 30,
    });
    expect(names(cluster(deployment).dependsOn)).toContain("control-plane-logs");
  });

  it("works as a role with Amazon's rights and its key, that cannot make the log group again, for as long as it lives", async () => {
    const { deployment } = await controlPlane();
    const role = "control-plane-role-cluster";
    const attached = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
    expect(deployment.resource("aws:iam/role:Role", `${role}-role`).inputs.assumeRolePolicy).toContain(
      '"Service":["eks.amazonaws.com"]',
    );
    expect(deployment.resource(attached, `${role}-amazoneksclusterpolicy`).inputs.policyArn).toBe(
      "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
    );
    const document = deployment.resource("aws:iam/policy:Policy", `${role}-own-policy`).inputs.policy;
    const logs = "arn:aws:logs:us-east-1:111122223333:log-group:/aws/eks/test/cluster";
    expect(JSON.parse(String(document)).Statement).toEqual([
      {
        Sid: "KeyOfSecrets",
        Effect: "Allow",
        Action: ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:ListGrants"],
        Resource: [KEY_ARN],
      },
      { Sid: "LogGroupOnlyOfOurs", Effect: "Deny", Action: ["logs:CreateLogGroup"], Resource: [logs, `${logs}:*`] },
    ]);
    expect(names(cluster(deployment).dependsOn)).toEqual(
      expect.arrayContaining([`${role}-role`, `${role}-amazoneksclusterpolicy`, `${role}-own`]),
    );
  });

  it("marks the group that EKS makes for Karpenter, and makes none of its own with the cluster's tag", async () => {
    const { deployment } = await controlPlane();
    expect(deployment.ofType("aws:ec2/tag:Tag").map(({ inputs }) => inputs)).toEqual([
      { resourceId: "offline-cluster-group", key: "karpenter.sh/discovery", value: "test" },
    ]);
    expect(deployment.ofType("aws:ec2/securityGroup:SecurityGroup")).toEqual([]);
  });

  it("is known by what EKS says of it", async () => {
    const { controlPlane: made } = await controlPlane();
    expect(await resolved(made.clusterArn)).toBe("arn:aws:eks:us-east-1:111122223333:cluster/test");
    expect(await resolved(made.endpoint)).toBe("https://10.0.0.2");
    expect(await resolved(made.securityGroupId)).toBe("offline-cluster-group");
  });

  it("plans the same before anything exists", async () => {
    expect((await controlPlane({}, true)).deployment.tree()).toBe((await controlPlane()).deployment.tree());
  });
});

describe("access to an EKS cluster", () => {
  const platform = "arn:aws:iam::111122223333:role/platform";
  const sso =
    "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/eu-west-2/AWSReservedSSO_Admins_0123456789abcdef";

  it("is every administrator's, with the whole ARN of roles of IAM Identity Center, and nobody else's", async () => {
    const { deployment } = await controlPlane({ administrators: [platform, sso] });
    expect(deployment.ofType(ENTRY).map(({ inputs }) => inputs)).toEqual(
      [platform, sso].map((principalArn) => ({ clusterName: "test", principalArn, type: "STANDARD" })),
    );
    expect(deployment.ofType(ASSOCIATION).map(({ inputs }) => inputs)).toEqual(
      [platform, sso].map((principalArn) => ({
        clusterName: "test",
        principalArn,
        policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
        accessScope: { type: "cluster" },
      })),
    );
  });

  it("is kept where somebody comes in before, and goes with who leaves", async () => {
    const before = (await controlPlane({ administrators: [platform] })).deployment;
    const after = (await controlPlane({ administrators: [sso, platform] })).deployment;
    for (const type of [ENTRY, ASSOCIATION]) {
      const [kept] = before.ofType(type);
      expect(after.resource(type, kept?.name ?? "").inputs).toEqual(kept?.inputs);
    }
  });

  it("is another one for roles of one name and another path", () => {
    const one = administratorKey("arn:aws:iam::111122223333:role/a/Admin");
    const other = administratorKey("arn:aws:iam::111122223333:role/b/Admin");
    expect(one).toMatch(/^admin-[0-9a-f]{8}$/);
    expect(other).not.toBe(one);
  });

  it("of users is named by letters that names of components take", () => {
    expect(administratorKey("arn:aws:iam::111122223333:user/Ann+Lee@example.com")).toMatch(
      /^ann-lee-example-com-[0-9a-f]{8}$/,
    );
    expect(administratorKey("arn:aws:iam::111122223333:user/__")).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe("the kubeconfig of an EKS cluster", () => {
  it("is secret, and starts the aws command line instead of holding a token", async () => {
    const { controlPlane: made } = await controlPlane();
    const kubeconfig = eksKubeconfig(made, "us-east-1");
    expect(await pulumi.isSecret(kubeconfig)).toBe(true);
    const { users } = JSON.parse(await resolved(kubeconfig));
    expect(users).toEqual([
      {
        name: "test",
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1beta1",
            command: "aws",
            args: ["--region", "us-east-1", "eks", "get-token", "--cluster-name", "test", "--output", "json"],
          },
        },
      },
    ]);
  });
});
