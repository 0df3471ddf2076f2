import { beforeAll, describe, expect, it } from "vitest";
import { clusterFact, clusterText } from "../../report/cluster";
import { nodeMakersText } from "../../report/node-makers";
import { poolFeatures } from "../../report/pool-features";
import { changedPlan, type Planned } from "../stacks/planned";

const factOf = ({ environment, plan }: Planned) => clusterFact(environment, plan);

describe("where a plan's cluster comes from", () => {
  let aws: Planned;
  beforeAll(async () => {
    aws = await changedPlan("aws-prod");
  });

  it("is told of a cluster on the computer that deploys it, with what makes it", async () => {
    const local = { kind: "local", provision: "create", local: { tool: "kind" } };
    const pools = { laptop: { role: "cpu", node: { vcpus: 8, memoryGiB: 16 } } };
    expect(clusterText(factOf(await changedPlan("dev", { cluster: local, pools })))).toBe(
      "local, made by this stack with kind on the computer that it is deployed from",
    );
  });

  it("is told of an EKS cluster with its region, its endpoint, and who makes the nodes of each pool", () => {
    const fact = factOf(aws);
    expect(fact).toMatchObject({ kind: "aws", provision: "create", region: "us-east-1", endpoint: "public" });
    expect(clusterText(fact)).toBe("aws in us-east-1, made by this stack; public endpoint");
    const { min, max } = Object.fromEntries(
      (["min", "max"] as const).map((key) => [
        key,
        new Map(aws.plan.pools.map((pool) => [pool.name, pool[`${key}Nodes`]])),
      ]),
    ) as Record<"min" | "max", Map<string, number>>;
    expect(fact.nodes).toEqual(
      aws.plan.pools.map(({ name, role }) =>
        role === "system"
          ? { pool: name, group: min.get(name), karpenter: (max.get(name) ?? 0) - (min.get(name) ?? 0) }
          : { pool: name, group: 0, karpenter: max.get(name) },
      ),
    );
  });

  it("is told of one that another stack makes, without an endpoint that nobody here knows", async () => {
    const platform = await changedPlan("aws-prod", {
      scope: "platform",
      cluster: { kind: "aws", provision: "stack", stackReference: "acme/inference-stacks/cluster" },
    });
    const fact = factOf(platform);
    expect(fact).not.toHaveProperty("endpoint");
    expect(fact.nodes).toEqual(factOf(aws).nodes);
    expect(clusterText(fact)).toContain("made by stack acme/inference-stacks/cluster");
  });

  it("comes with advice where its endpoint is private: from elsewhere nothing can be made in it", async () => {
    const eks = { region: "us-east-1", kubernetesVersion: "1.34", zones: ["us-east-1a", "us-east-1b"] };
    const administrators = ["arn:aws:iam::111122223333:role/platform"];
    const own = await changedPlan("aws-prod", {
      cluster: { kind: "aws", provision: "create", eks: { ...eks, administrators } },
    });
    expect(clusterText(factOf(own))).toBe("aws in us-east-1, made by this stack; private endpoint");
    expect(own.plan.problems).toContainEqual(
      expect.objectContaining({ rule: "private-endpoint", severity: "advisory", subject: "cluster.eks.endpoint" }),
    );
    expect(aws.plan.problems.map(({ rule }) => rule)).not.toContain("private-endpoint");
  });

  it("tells no makers where the cluster exists, or is no EKS one", async () => {
    const oci = factOf(await changedPlan("oci-a10"));
    expect(oci).not.toHaveProperty("nodes");
    expect(clusterText(oci)).toBe("oci in eu-frankfurt-1, made by this stack; private endpoint");
    const existing = factOf(await changedPlan("aws-prod", { cluster: { kind: "aws" } }));
    expect(existing).toEqual({ kind: "aws", provision: "existing", scope: "all" });
  });
});

describe("who makes nodes", () => {
  it("is one sentence of both, or of the one that makes any", () => {
    const system = { pool: "system", group: 3, karpenter: 3 };
    const reserved = { pool: "h100", group: 2, karpenter: 0 };
    expect(nodeMakersText(undefined)).toBeUndefined();
    expect(nodeMakersText([reserved])).toBe("managed node groups run 2 of h100");
    expect(nodeMakersText([system, reserved])).toBe(
      "managed node groups run 3 of system, 2 of h100; Karpenter makes up to 3 of system while pods ask for them",
    );
  });
});

describe("what a pool's nodes have", () => {
  const plain = { localDisks: false, confidential: false };

  it("is nothing where they have no more than their machine", () => {
    expect(poolFeatures(plain)).toEqual([]);
  });

  it("is RDMA, the trial, local disks and encrypted memory", () => {
    const fabric = {
      kind: "efa",
      access: "efa",
      gbps: 3200,
      device: { resource: "vpc.amazonaws.com/efa", perNode: 32 },
      environment: {},
    } as const;
    expect(
      poolFeatures({ localDisks: true, confidential: true, fabric, fabricGate: { minBusGBps: 100, image: "gate" } }),
    ).toEqual([
      "RDMA: EFA, 3200 Gbit/s a node",
      "nodes tried for 100 GB/s before models come",
      "pods' files on local disks",
      "memory encrypted against the host",
    ]);
  });
});
