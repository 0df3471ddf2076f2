import { beforeAll, describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { karpenterConnections } from "../../../components/autoscaling/connections";
import { Karpenter } from "../../../components/autoscaling/karpenter";
import { karpenterValues } from "../../../components/autoscaling/karpenter-values";
import type { EksPool } from "../../../components/cluster/eks/settings";
import { crdProblems } from "../../harness/crds";
import { type Deployment, deploy } from "../../harness/deploy";
import { eksPool } from "../../harness/eks-pools";
import { awsGround, KARPENTER_GROUND, runningModel } from "./fixture";

const NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool";
const NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass";
const RELEASE = "kubernetes:helm.sh/v3:Release";

function karpenter(...pools: EksPool[]): Promise<Deployment> {
  return deploy(() => {
    new Karpenter("karpenter", {
      stage: "production",
      ground: awsGround(),
      karpenter: KARPENTER_GROUND,
      pools,
      models: [runningModel({ pool: "h100" })],
    });
  });
}

const h100 = eksPool(
  "p5.48xlarge",
  { name: "h100", maxNodes: 2, localDisks: true, numa: "restricted" },
  { karpenterNodes: 2, zones: ["us-east-1a", "us-east-1b"], bootVolumeGiB: 250 },
);
const spot = eksPool("g6.4xlarge", { name: "l4" }, { karpenterNodes: 8, capacity: "spot" });

let deployment: Deployment;
beforeAll(async () => {
  deployment = await karpenter(h100, spot);
});

function specOf(type: string, name: string) {
  return deployment.resource(type, name).inputs.spec as Readonly<Record<string, unknown>>;
}

describe("a NodePool", () => {
  it("makes the pool's machines alone, as many as planned, with its labels and taints", () => {
    expect(specOf(NODE_POOL, "karpenter-pool-h100")).toEqual({
      template: {
        metadata: { labels: { "inference-stacks.io/pool": "h100" } },
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "h100" },
          requirements: [
            { key: "node.kubernetes.io/instance-type", operator: "In", values: ["p5.48xlarge"] },
            { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
            { key: "topology.kubernetes.io/zone", operator: "In", values: ["us-east-1a", "us-east-1b"] },
            { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
            { key: "kubernetes.io/os", operator: "In", values: ["linux"] },
          ],
          taints: [
            { key: "nvidia.com/gpu", effect: "NoSchedule" },
            { key: "dedicated", value: "inference", effect: "NoSchedule" },
          ],
          expireAfter: "Never",
          terminationGracePeriod: "88m",
        },
      },
      disruption: {
        consolidationPolicy: "WhenEmpty",
        consolidateAfter: "10m",
        budgets: [
          { nodes: "1", reasons: ["Underutilized", "Drifted"] },
          { nodes: "100%", reasons: ["Empty"] },
        ],
      },
      limits: { cpu: "384", "nvidia.com/gpu": "16" },
    });
  });

  it("takes spot machines first and others where there are none, within one limit", () => {
    expect(specOf(NODE_POOL, "karpenter-pool-l4")).toMatchObject({
      template: {
        spec: {
          requirements: expect.arrayContaining([
            { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "on-demand"] },
          ]),
        },
      },
      limits: { cpu: "128", "nvidia.com/gpu": "8" },
    });
    expect(deployment.ofType(NODE_POOL)).toHaveLength(2);
  });
});

describe("an EC2NodeClass", () => {
  it("boots a dated image on an encrypted disk, in the cluster's network, without credentials for pods", () => {
    expect(specOf(NODE_CLASS, "karpenter-class-h100")).toEqual({
      amiSelectorTerms: [{ alias: "al2023@v20260714" }],
      role: "test-nodes",
      subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "test" } }],
      securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "test" } }],
      associatePublicIPAddress: false,
      blockDeviceMappings: [
        {
          deviceName: "/dev/xvda",
          rootVolume: true,
          ebs: {
            encrypted: true,
            kmsKeyID: "arn:aws:kms:us-east-1:111122223333:key/1234abcd",
            volumeSize: "250Gi",
            volumeType: "gp3",
            deleteOnTermination: true,
          },
        },
      ],
      instanceStorePolicy: "RAID0",
      metadataOptions: {
        httpEndpoint: "enabled",
        httpProtocolIPv6: "disabled",
        httpPutResponseHopLimit: 1,
        httpTokens: "required",
      },
      detailedMonitoring: false,
      userData: JSON.stringify({
        apiVersion: "node.eks.aws/v1alpha1",
        kind: "NodeConfig",
        spec: {
          kubelet: {
            config: { cpuManagerPolicy: "static", topologyManagerPolicy: "restricted", topologyManagerScope: "pod" },
          },
          instance: { localStorage: { strategy: "RAID0" } },
        },
      }),
      tags: { "inference-stacks-environment": "test" },
    });
  });

  it("leaves disks and the kubelet alone where the plan does", () => {
    const plain = specOf(NODE_CLASS, "karpenter-class-l4");
    expect(plain).not.toHaveProperty("instanceStorePolicy");
    expect(plain).not.toHaveProperty("userData");
    expect(plain).not.toHaveProperty("networkInterfaces");
  });

  it("has one interface of EFA on each network card, and the node's own", async () => {
    const made = await karpenter(eksPool("p5.48xlarge", { name: "h100" }, { karpenterNodes: 1, efa: true }));
    const { networkInterfaces, securityGroupSelectorTerms } = made.resource(NODE_CLASS, "karpenter-class-h100").inputs
      .spec as {
      readonly networkInterfaces: readonly object[];
      readonly securityGroupSelectorTerms: readonly object[];
    };
    expect(securityGroupSelectorTerms).toContainEqual({ tags: { "inference-stacks-efa": expect.any(String) } });
    expect(networkInterfaces).toHaveLength(33);
    expect(networkInterfaces.slice(0, 3)).toEqual([
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" },
      { networkCardIndex: 0, deviceIndex: 1, interfaceType: "efa-only" },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa-only" },
    ]);
    await expect(karpenter(eksPool("m7i.2xlarge", { name: "h100" }, { karpenterNodes: 1, efa: true }))).rejects.toThrow(
      "m7i.2xlarge has no EFA",
    );
  });
});

describe("Karpenter's objects", () => {
  it("pass their CRDs", () => {
    const objects = [...deployment.ofType(NODE_POOL), ...deployment.ofType(NODE_CLASS)];
    expect(objects).toHaveLength(4);
    for (const { inputs } of objects) {
      expect(crdProblems(inputs)).toEqual([]);
    }
  });

  it("go before what takes them away: pools, then classes, then Karpenter", () => {
    const [crds, release] = deployment.ofType(RELEASE);
    expect([crds, release].map((each) => each?.inputs.name)).toEqual(["karpenter-crd", "karpenter"]);
    expect(release?.inputs.skipCrds).toBe(true);
    const pool = deployment.resource(NODE_POOL, "karpenter-pool-h100");
    const nodeClass = deployment.resource(NODE_CLASS, "karpenter-class-h100");
    expect(pool.dependsOn).toContain(nodeClass.urn);
    expect(nodeClass.dependsOn).toContain(release?.urn);
    expect(release?.dependsOn).toContain(crds?.urn);
  });
});

describe("values of Karpenter's chart", () => {
  it("are keys that it has", () => {
    expect(chartValueProblems("karpenter", karpenterValues("production", awsGround(), KARPENTER_GROUND))).toEqual([]);
  });

  it("name the cluster, its queue and region, and leave preferences of pods to the scheduler", () => {
    expect(karpenterValues("production", awsGround(), KARPENTER_GROUND)).toMatchObject({
      serviceAccount: { create: true, name: "karpenter" },
      replicas: 2,
      settings: { clusterName: "test", interruptionQueue: "test-karpenter", preferencePolicy: "Ignore" },
      controller: { env: [{ name: "AWS_REGION", value: "us-east-1" }] },
    });
    expect(karpenterValues("development", awsGround(), KARPENTER_GROUND).replicas).toBe(1);
  });
});

describe("connections of Karpenter", () => {
  it("lead to the Kubernetes API, Amazon's, and the agent of Pod Identity", () => {
    const networks = { privateCidrs: ["10.0.0.0/16"], apiServerCidrs: ["10.0.0.0/28"] };
    expect(karpenterConnections(networks).map(({ name, to, ports }) => ({ name, to: to.at(-1), ports }))).toEqual([
      { name: "karpenter-to-kubernetes-api", to: { cidr: "10.0.0.0/28" }, ports: [{ port: 443 }, { port: 6443 }] },
      { name: "karpenter-to-aws", to: { cidr: "10.0.0.0/16" }, ports: [{ port: 443 }] },
      { name: "karpenter-to-pod-identity", to: { cidr: "169.254.170.23/32" }, ports: [{ port: 80 }] },
    ]);
  });
});
