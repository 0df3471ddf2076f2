import { describe, expect, it } from "vitest";
import { problemsWith } from "./samples";

const eks = {
  region: "us-east-1",
  kubernetesVersion: "1.34",
  zones: ["us-east-1a", "us-east-1b"],
  administrators: ["arn:aws:iam::111122223333:role/platform"],
  endpoint: { public: true, allowedCidrs: ["203.0.113.0/24"] },
};
const cluster = { kind: "aws", provision: "create", eks };
const system = { shape: "m7i.2xlarge", minNodes: 2 };
const gpu = { shape: "g6e.xlarge" };
const p5 = { shape: "p5.48xlarge", minNodes: 2, maxNodes: 2, zones: ["us-east-1a"] };
const cr = "cr-0123456789abcdef0";
const made = (more: object, changes: object = {}) => ({
  cluster: { ...cluster, eks: { ...eks, ...changes } },
  pools: { system, gpu, more },
});

describe("pools of an EKS cluster that is made here", () => {
  it.each<[string, object, object?]>([
    ["on demand in every zone", gpu],
    ["spot", { ...gpu, capacity: "spot" }],
    ["a reservation in its zone", { ...p5, capacity: { reservation: cr } }],
    ["a capacity block in its zone", { ...p5, capacity: { capacityBlock: cr } }],
    ["EFA in one zone, close together", { ...p5, rdma: { access: "efa", placementGroup: true } }],
    [
      "memory that the host cannot read, where Amazon has it",
      { shape: "m6a.xlarge", role: "cpu", confidential: true },
      { region: "us-east-2", zones: ["us-east-2a", "us-east-2b"] },
    ],
    ["EFA that nobody tries, and that Karpenter scales", { ...p5, minNodes: 0, maxNodes: 4, rdma: { access: "efa" } }],
    ["parts of GPUs on as many nodes as there are", { ...gpu, minNodes: 2, sharing: { timeSlicing: { replicas: 4 } } }],
    ["local disks and memory nodes", { shape: "p5.48xlarge", localDisks: "pods", numa: "restricted" }],
  ])("are right with %s", (_what, pool, changes) => {
    expect(problemsWith(made(pool, changes))).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, { path: string; allowed: string; fix: string }]>([
    [
      "nobody to make the first node",
      { ...made(gpu), pools: { system: { ...system, minNodes: 0, maxNodes: 3 }, gpu } },
      { path: "pools.system.minNodes", allowed: "Karpenter itself runs there", fix: "write minNodes: 2" },
    ],
    [
      "a way to buy that nobody knows",
      made({ ...gpu, capacity: "reserved" }),
      { path: "pools.more.capacity", allowed: "on-demand, spot, {reservation: …}", fix: "spot" },
    ],
    [
      "a capacity block without a zone",
      made({ ...p5, zones: undefined, capacity: { capacityBlock: cr } }),
      {
        path: "pools.more.zones",
        allowed: "exactly one availability zone, with a capacity block",
        fix: "[us-east-1a]",
      },
    ],
    [
      "a reservation in two zones",
      made({ ...p5, zones: eks.zones, capacity: { reservation: cr } }),
      { path: "pools.more.zones", allowed: "exactly one availability zone, with a reservation", fix: "[us-east-1a]" },
    ],
    [
      "EFA over two zones",
      made({ ...p5, zones: eks.zones, rdma: { access: "efa" } }),
      { path: "pools.more.zones", allowed: "with rdma.access: efa", fix: "or make a pool for each" },
    ],
    [
      "a zone without a subnet",
      made({ ...gpu, zones: ["us-east-1f"] }),
      { path: "pools.more.zones[0]", allowed: "us-east-1a, us-east-1b", fix: "add us-east-1f to cluster.eks.zones" },
    ],
    [
      "a zone that is said twice",
      made({ ...gpu, zones: ["us-east-1a", "us-east-1a"] }),
      { path: "pools.more.zones[1]", allowed: "each zone once", fix: "remove it" },
    ],
    [
      "GPUs that Amazon's image has no driver for",
      made({ shape: "g7.2xlarge" }, { nodeImage: "v20260903" }),
      { path: "cluster.eks.nodeImage", allowed: "v20260917 or newer", fix: "remove nodeImage" },
    ],
    [
      "a part of a GPU that nobody can ask for",
      made({ shape: "g6f.large" }),
      { path: "pools.more.shape", allowed: "Karpenter offers no nvidia.com/gpu for it", fix: "such as g4dn.xlarge" },
    ],
    [
      "a platform on spot machines",
      made({ ...system, capacity: "spot" }),
      { path: "pools.more.capacity", allowed: "spot machines may go at any time", fix: "a pool of models" },
    ],
    [
      "a platform on a capacity block",
      made({ ...system, maxNodes: 2, zones: ["us-east-1a"], capacity: { capacityBlock: cr } }),
      { path: "pools.more.capacity", allowed: "a capacity block ends", fix: "a pool of models" },
    ],
    [
      "a replica over spot machines",
      made({ ...p5, capacity: "spot", rdma: { access: "efa" } }),
      { path: "pools.more.capacity", allowed: "a replica that spans nodes goes with each", fix: "remove rdma" },
    ],
    [
      "reserved machines that nothing scales",
      made({ ...p5, maxNodes: 4, capacity: { reservation: cr } }),
      { path: "pools.more.maxNodes", allowed: "the same as minNodes (2)", fix: "minNodes: 2 and maxNodes: 2" },
    ],
    [
      "tried machines that nothing scales",
      made({ ...p5, maxNodes: 4, rdma: { access: "efa" } }),
      { path: "pools.more.maxNodes", allowed: "with EFA that is tried first", fix: "minNodes: 2 and maxNodes: 2" },
    ],
    [
      "machines with parts of GPUs that nothing scales",
      made({ ...gpu, maxNodes: 3, sharing: { timeSlicing: { replicas: 4 } } }),
      { path: "pools.more.maxNodes", allowed: "a pod that asks for a part", fix: "minNodes: 1 and maxNodes: 1" },
    ],
    [
      "parts of GPUs on machines that come when they are asked for",
      made({ ...gpu, minNodes: 0, sharing: { timeSlicing: { replicas: 4 } } }),
      { path: "pools.more.maxNodes", allowed: "the same as minNodes (0)", fix: "minNodes: 1 and maxNodes: 1" },
    ],
    [
      "a capacity block that nothing scales",
      made({ ...p5, minNodes: 0, capacity: { capacityBlock: cr } }),
      {
        path: "pools.more.maxNodes",
        allowed: "with a reservation or capacity block",
        fix: "minNodes: 1 and maxNodes: 1",
      },
    ],
    [
      "a placement group of machines that Karpenter makes",
      made({ ...p5, minNodes: 0, maxNodes: 4, rdma: { access: "efa", placementGroup: true } }),
      {
        path: "pools.more.rdma.placementGroup",
        allowed: "Karpenter creates this pool's nodes",
        fix: "minNodes: 4 and maxNodes: 4",
      },
    ],
    [
      "a placement group of one machine that Karpenter makes",
      made({ ...p5, minNodes: 1, maxNodes: 1, rdma: { access: "efa", placementGroup: true } }),
      {
        path: "pools.more.rdma.placementGroup",
        allowed: "starts with fewer than two",
        fix: "minNodes: 2 and maxNodes: 2",
      },
    ],
    [
      "a placement group of machines that nobody can try",
      made({ ...p5, shape: "p4d.24xlarge", rdma: { access: "efa", placementGroup: true } }),
      { path: "pools.more.rdma.placementGroup", allowed: "no EFA figure is published", fix: "remove placementGroup" },
    ],
    [
      "a placement group of machines that talk TCP",
      made({ ...p5, rdma: { placementGroup: true } }),
      { path: "pools.more.rdma.placementGroup", allowed: "only with rdma.access: efa", fix: "add access: efa" },
    ],
    [
      "a placement group around reserved machines",
      made({ ...p5, capacity: { reservation: cr }, rdma: { access: "efa", placementGroup: true } }),
      { path: "pools.more.rdma.placementGroup", allowed: "reserved already", fix: "remove placementGroup" },
    ],
    [
      "Oracle's availability domains",
      made({ ...gpu, availabilityDomains: [1] }),
      { path: "pools.more.availabilityDomains", allowed: "only in a cluster of kind oci", fix: "write zones" },
    ],
    [
      "Oracle's RDMA networks",
      made({ ...p5, rdma: { mode: "managed" } }),
      { path: "pools.more.rdma.mode", allowed: "only in a cluster of kind oci", fix: "rdma.access: efa" },
    ],
    [
      "an image of Oracle's",
      made({ ...gpu, image: "ocid1.image.oc1.eu-frankfurt-1.mine" }),
      { path: "pools.more.image", allowed: "only in a cluster of kind oci", fix: "remove image" },
    ],
    [
      "a reservation of Oracle's",
      made({ ...p5, capacity: { reservation: "ocid1.capacityreservation.oc1.eu-frankfurt-1.mine" } }),
      {
        path: "pools.more.capacity.reservation",
        allowed: "only in a cluster of kind oci",
        fix: "cr-0123456789abcdef0",
      },
    ],
    [
      "encrypted memory on a machine without it",
      made({ shape: "m7i.xlarge", role: "cpu", confidential: true }),
      { path: "pools.more.confidential", allowed: "Amazon does not name m7i.xlarge", fix: "take shape m6a.large" },
    ],
    [
      "encrypted memory that Karpenter would have to ask for",
      made({ shape: "m6a.xlarge", role: "cpu", confidential: true, maxNodes: 3 }),
      { path: "pools.more.maxNodes", allowed: "with confidential", fix: "minNodes: 1 and maxNodes: 1" },
    ],
    [
      "encrypted memory in a region without it",
      made({ shape: "m6a.xlarge", role: "cpu", confidential: true }),
      { path: "pools.more.confidential", allowed: "us-east-2 and eu-west-1", fix: "cluster.eks.region" },
    ],
    [
      "disks that the machine has not",
      made({ shape: "m7i.xlarge", role: "cpu", localDisks: "pods" }),
      { path: "pools.more.localDisks", allowed: "m7i.xlarge has none", fix: "boot volume" },
    ],
    [
      "zones where nobody makes nodes",
      { cluster: { kind: "aws" }, pools: { system, gpu: { ...gpu, zones: ["us-east-1a"] } } },
      { path: "pools.gpu.zones", allowed: "only where this stack or another one makes the nodes", fix: "remove zones" },
    ],
  ])("may not have %s", (_what, changes, { path, allowed, fix }) => {
    const found = problemsWith(changes).filter((each) => each.path === path);
    const messages = found.map(({ message }) => message.toLowerCase()).join("\n");
    expect(messages).toContain(allowed.toLowerCase());
    expect(messages).toContain(fix.toLowerCase());
  });

  it("let another cloud's clusters have none of Amazon's keys", () => {
    const oci = {
      kind: "oci",
      provision: "create",
      oke: {
        tenancyId: "ocid1.tenancy.oc1..t",
        compartmentId: "ocid1.compartment.oc1..c",
        region: "eu-frankfurt-1",
        kubernetesVersion: "v1.34.2",
      },
    };
    const a10 = { shape: "VM.GPU.A10.2", availabilityDomains: [1] };
    const paths = (pool: object) =>
      problemsWith({
        cluster: oci,
        pools: { system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 }, gpu: a10, more: pool },
      }).map(({ path }) => path);
    expect(paths({ ...a10, zones: ["us-east-1a"] })).toEqual(["pools.more.zones"]);
    expect(paths({ ...a10, capacity: { capacityBlock: cr } })).toEqual(["pools.more.capacity.capacityBlock"]);
    expect(paths({ ...a10, capacity: { reservation: cr } })).toEqual(["pools.more.capacity.reservation"]);
    const image = "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc";
    const h100 = { shape: "BM.GPU.H100.8", availabilityDomains: [1], image };
    expect(paths({ ...h100, rdma: { mode: "managed", placementGroup: true } })).toEqual([
      "pools.more.rdma.placementGroup",
    ]);
  });
});
