import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { eksImageType } from "../../../../catalog/eks";
import { shapesOf } from "../../../../catalog/shapes";
import { EfaSecurityGroup } from "../../../../components/cluster/eks/efa";
import { EksNodeGroups } from "../../../../components/cluster/eks/node-groups";
import type { EksPool } from "../../../../components/cluster/eks/settings";
import { type Deployment, deploy } from "../../../harness/deploy";
import { eksPool } from "../../../harness/eks-pools";
import { settings } from "./fixture";

const GROUP = "aws:eks/nodeGroup:NodeGroup";
const TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate";
const ROLE = "aws:iam/role:Role";
const ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
const KEY_ARN = "arn:aws:kms:us-east-1:111122223333:key/volumes";
const RESERVATION = "cr-0123456789abcdef0";

function nodeGroups(...pools: readonly EksPool[]): Promise<Deployment> {
  const of = (kind: string) => ({ "us-east-1a": pulumi.output(`${kind}-a`), "us-east-1b": pulumi.output(`${kind}-b`) });
  return deploy(() => {
    new EksNodeGroups("groups", {
      settings: settings(),
      controlPlane: {
        clusterName: pulumi.output("test"),
        securityGroupId: pulumi.output("cluster-group"),
      } as unknown as ConstructorParameters<typeof EksNodeGroups>[1]["controlPlane"],
      network: {
        vpcId: pulumi.output("vpc-1"),
        subnetIds: { nodes: of("nodes"), controlPlane: of("control-plane"), public: of("public") },
      } as unknown as ConstructorParameters<typeof EksNodeGroups>[1]["network"],
      keys: { volumesKeyArn: pulumi.output(KEY_ARN) },
      efa: pools.some((pool) => pool.efa)
        ? new EfaSecurityGroup("efa", { settings: settings(), vpcId: "vpc-1" })
        : undefined,
      pools,
      after: [],
    });
  });
}

const group = (deployment: Deployment, pool: string) => deployment.resource(GROUP, `groups-${pool}`);
const template = (deployment: Deployment, pool: string) => deployment.resource(TEMPLATE, `groups-${pool}-machine`);

/** The part of user data that nodeadm reads. */
function told(deployment: Deployment, pool: string) {
  const text = Buffer.from(String(template(deployment, pool).inputs.userData), "base64").toString();
  return JSON.parse(text.split("\n")[6] ?? "").spec;
}

const system = eksPool(
  "m7i.xlarge",
  { name: "system", minNodes: 2, maxNodes: 4 },
  { zones: ["us-east-1a", "us-east-1b"] },
);
const efa = eksPool(
  "p5.48xlarge",
  {
    name: "h100",
    startupTaints: [{ key: "startup-taint.cluster-autoscaler.kubernetes.io/uncertified", effect: "NoSchedule" }],
  },
  { efa: true, placementGroup: true },
);

describe("a managed node group", () => {
  it("holds the nodes that always run, of one shape and version, over the pool's zones", async () => {
    const deployment = await nodeGroups(system);
    expect(group(deployment, "system").inputs).toEqual({
      clusterName: "test",
      nodeGroupNamePrefix: "system-",
      nodeRoleArn: expect.stringMatching(/^arn:aws:iam::111122223333:role\//),
      subnetIds: ["nodes-a", "nodes-b"],
      amiType: "AL2023_x86_64_STANDARD",
      version: "1.35",
      capacityType: "ON_DEMAND",
      instanceTypes: ["m7i.xlarge"],
      scalingConfig: { minSize: 2, desiredSize: 2, maxSize: 2 },
      updateConfig: { maxUnavailable: 1 },
      launchTemplate: { id: "groups-system-machine-id", version: "1" },
      labels: { "inference-stacks.io/pool": "system" },
      taints: [],
      forceUpdateVersion: true,
    });
  });

  it("takes a change of its number, which EKS refuses where a part of it is ignored", async () => {
    const { options } = group(await nodeGroups(system), "system");
    expect(options.ignoreChanges).toEqual([]);
    // The new group comes first, under another name.
    expect(options.deleteBeforeReplace).toBe(false);
  });

  it("boots machines with GPUs with NVIDIA's drivers, one after the other, and taints them", async () => {
    const deployment = await nodeGroups(eksPool("g6e.xlarge", { name: "l40s" }));
    expect(group(deployment, "l40s").inputs).toMatchObject({
      amiType: "AL2023_x86_64_NVIDIA",
      updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
      taints: [
        { key: "nvidia.com/gpu", effect: "NO_SCHEDULE" },
        { key: "dedicated", effect: "NO_SCHEDULE", value: "inference" },
      ],
    });
    expect(group(await nodeGroups(eksPool("m7g.xlarge")), "pool").inputs.amiType).toBe("AL2023_ARM_64_STANDARD");
  });

  it("has no image for machines that Amazon's has no driver for", async () => {
    const unknown = eksPool("g5.xlarge");
    const pool = { ...unknown, plan: { ...unknown.plan, shape: { ...unknown.plan.shape, name: "g9.xlarge" } } };
    await expect(nodeGroups(pool)).rejects.toThrow("no image of Amazon's for g9.xlarge");
  });

  it("has an image for every shape of the catalogue that may be asked for", () => {
    const lacking = shapesOf("aws").filter((shape) => eksImageType(shape) === undefined);
    expect(lacking).toEqual([]);
  });

  it("has a name within EKS's limits, whatever the pool's", async () => {
    const name = "a".repeat(40);
    const { nodeGroupNamePrefix } = group(await nodeGroups(eksPool("m7i.xlarge", { name })), name).inputs;
    expect(String(nodeGroupNamePrefix)).toHaveLength(37);
  });

  it("has a role that looks up its cluster and pulls images, and nothing else", async () => {
    const deployment = await nodeGroups(system);
    const [role] = deployment.ofType(ROLE);
    expect(String(role?.inputs.assumeRolePolicy)).toContain("ec2.amazonaws.com");
    expect(deployment.ofType(ATTACHMENT).map(({ inputs }) => inputs.policyArn)).toEqual([
      "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
      "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
    ]);
    const needed = group(deployment, "system").dependsOn;
    expect(deployment.ofType(ATTACHMENT).filter(({ urn }) => !needed.includes(urn))).toEqual([]);
  });
});

describe("the machines of a group", () => {
  it("have encrypted disks, no credentials for pods, the cluster's security group and the environment's tags", async () => {
    const tags = { "inference-stacks-environment": "test", Name: "test-system" };
    expect(template(await nodeGroups(system), "system").inputs).toEqual({
      description: "Nodes of pool system of test",
      updateDefaultVersion: true,
      blockDeviceMappings: [
        {
          deviceName: "/dev/xvda",
          ebs: {
            volumeType: "gp3",
            volumeSize: 100,
            encrypted: "true",
            kmsKeyId: KEY_ARN,
            deleteOnTermination: "true",
          },
        },
      ],
      metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
      vpcSecurityGroupIds: ["cluster-group"],
      tagSpecifications: ["instance", "volume", "network-interface"].map((resourceType) => ({ resourceType, tags })),
      tags: { Name: "test-system" },
    });
  });

  it("have what only a group may say in none of their templates", async () => {
    const inputs = template(await nodeGroups(efa), "h100").inputs;
    // EKS User Guide, launch-templates: prohibited settings.
    for (const key of ["iamInstanceProfile", "instanceInitiatedShutdownBehavior", "hibernationOptions", "imageId"]) {
      expect(inputs).not.toHaveProperty(key);
    }
    expect(JSON.stringify(inputs.networkInterfaces)).not.toContain("subnetId");
  });

  it("encrypt their memory where the pool says so", async () => {
    const deployment = await nodeGroups(eksPool("m6a.xlarge", { confidential: true }));
    expect(template(deployment, "pool").inputs.cpuOptions).toEqual({ amdSevSnp: "enabled" });
  });

  it("are told of disks and CPUs by nodeadm's configuration", async () => {
    const deployment = await nodeGroups(eksPool("g6.12xlarge", { localDisks: true, numa: "best-effort" }));
    expect(told(deployment, "pool")).toMatchObject({
      kubelet: { config: { topologyManagerPolicy: "best-effort" } },
      instance: { localStorage: { strategy: "RAID0" } },
    });
  });
});

describe("a group with EFA", () => {
  it("has an interface on each card with both security groups, close to each other", async () => {
    const deployment = await nodeGroups(system, efa);
    const { networkInterfaces, vpcSecurityGroupIds, placement } = template(deployment, "h100").inputs;
    const [efaGroup] = deployment.ofType("aws:ec2/securityGroup:SecurityGroup");
    expect(networkInterfaces).toHaveLength(32);
    expect(networkInterfaces).toContainEqual({
      networkCardIndex: 31,
      deviceIndex: 1,
      interfaceType: "efa-only",
      securityGroups: ["cluster-group", `${efaGroup?.name}-id`],
      deleteOnTermination: "true",
    });
    expect(vpcSecurityGroupIds).toBeUndefined();
    const [close] = deployment.ofType("aws:ec2/placementGroup:PlacementGroup");
    expect(close?.inputs.strategy).toBe("cluster");
    expect(placement).toEqual({ groupName: expect.any(String) });
    expect(template(deployment, "system").inputs.vpcSecurityGroupIds).toEqual(["cluster-group"]);
  });

  it("registers all of its taints itself, so that what lifts one of them is not undone", async () => {
    const deployment = await nodeGroups(efa);
    expect(group(deployment, "h100").inputs.taints).toEqual([]);
    expect(told(deployment, "h100").kubelet.flags).toEqual([
      "--register-with-taints=nvidia.com/gpu=:NoSchedule,dedicated=inference:NoSchedule,startup-taint.cluster-autoscaler.kubernetes.io/uncertified=:NoSchedule",
    ]);
  });
});

describe("a group of reserved machines", () => {
  const target = { capacityReservationTarget: { capacityReservationId: RESERVATION } };

  it("goes before its successor comes: there are no more machines", async () => {
    const reserved = eksPool("p5.48xlarge", { name: "h100" }, { capacity: { reservation: RESERVATION } });
    const deployment = await nodeGroups(reserved);
    const { inputs, options } = group(deployment, "h100");
    expect(inputs).toMatchObject({ capacityType: "ON_DEMAND", instanceTypes: ["p5.48xlarge"] });
    expect(options.deleteBeforeReplace).toBe(true);
    const { capacityReservationSpecification, instanceMarketOptions, instanceType } = template(
      deployment,
      "h100",
    ).inputs;
    expect(capacityReservationSpecification).toEqual(target);
    expect([instanceMarketOptions, instanceType]).toEqual([undefined, undefined]);
  });

  it("says its machine in the template where it is a capacity block, and lets EKS take its nodes at the end", async () => {
    const block = eksPool("p5.48xlarge", { name: "h100" }, { capacity: { capacityBlock: RESERVATION } });
    const deployment = await nodeGroups(block);
    const { inputs, options } = group(deployment, "h100");
    expect(inputs).toMatchObject({
      capacityType: "CAPACITY_BLOCK",
      subnetIds: ["nodes-a"],
      scalingConfig: { minSize: 0, desiredSize: 1, maxSize: 1 },
    });
    expect(inputs).not.toHaveProperty("instanceTypes");
    expect(options.ignoreChanges).toEqual(["scalingConfig.desiredSize"]);
    expect(template(deployment, "h100").inputs).toMatchObject({
      capacityReservationSpecification: target,
      instanceMarketOptions: { marketType: "capacity-block" },
      instanceType: "p5.48xlarge",
    });
  });

  it("is never bought here: a block cannot be given back", async () => {
    const of = (capacity: EksPool["capacity"], name: string) => eksPool("p5.48xlarge", { name }, { capacity });
    const deployment = await nodeGroups(
      of({ reservation: RESERVATION }, "reserved"),
      of({ capacityBlock: RESERVATION }, "block"),
    );
    const types = deployment.recording.resources.map(({ type }) => type);
    expect(types.filter((type) => /CapacityBlockReservation|CapacityReservation:/i.test(type))).toEqual([]);
  });
});

describe("a group of spot machines", () => {
  it("asks for them", async () => {
    const deployment = await nodeGroups(eksPool("g6.xlarge", {}, { capacity: "spot" }));
    expect(group(deployment, "pool").inputs.capacityType).toBe("SPOT");
  });
});
