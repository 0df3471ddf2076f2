import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../../names/repository-root";
import { problemsWith, rightEnvironment } from "./samples";

const oke = {
  tenancyId: "ocid1.tenancy.oc1..t",
  compartmentId: "ocid1.compartment.oc1..c",
  region: "eu-frankfurt-1",
  kubernetesVersion: "v1.34.2",
};
const created = { kind: "oci", provision: "create", oke };
const image = "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc";
const reservation = "ocid1.capacityreservation.oc1.eu-frankfurt-1.mine";
const { system, gpu: existingGpu } = rightEnvironment.pools;
const gpu = { ...existingGpu, availabilityDomains: [1] };
const h100 = { shape: "BM.GPU.H100.8", availabilityDomains: [1] };
const made = (pool: object) => ({ cluster: created, pools: { system, gpu, more: pool } });
const clusterNetwork = { ...h100, image, minNodes: 2, maxNodes: 2, rdma: { mode: "cluster-network" } };
const e5 = { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64, minNodes: 2, maxNodes: 2, role: "cpu" };
const confidential = { ...e5, image, confidential: true };

describe("pools of a cluster that is made here", () => {
  it("are right as the environments have them", () => {
    expect(problemsWith(made({ ...h100, image, rdma: { mode: "managed" } }))).toEqual([]);
    expect(problemsWith(made({ ...gpu, capacity: "spot" }))).toEqual([]);
    expect(problemsWith(made({ ...h100, capacity: { reservation } }))).toEqual([]);
    expect(problemsWith(made({ ...clusterNetwork, capacity: { reservation } }))).toEqual([]);
    expect(problemsWith(made(confidential))).toEqual([]);
  });

  it("may be in any domain of a region that is not listed", () => {
    const cluster = { ...created, oke: { ...oke, region: "xx-elsewhere-1" } };
    expect(
      problemsWith({ cluster, pools: { system, gpu: { ...existingGpu, availabilityDomains: [1, 2, 3] } } }),
    ).toEqual([]);
  });

  it("are right as the page of clusters shows nodes that join by themselves", () => {
    const page = readFileSync(join(repositoryRoot(), "docs", "clusters.md"), "utf8");
    const [example = ""] = /(?<=```yaml\n)inference-stacks:pools:\n[^`]*cluster-network[^`]*/.exec(page) ?? [];
    const { "inference-stacks:pools": pools } = parse(example.replaceAll("ocid1.image.oc1…", image)) as {
      "inference-stacks:pools": object;
    };
    expect(Object.keys(pools)).toEqual(["h100", "confidential"]);
    expect(problemsWith({ cluster: created, pools: { system, gpu, ...pools } })).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, { path: string; allowed: string; fix: string }]>([
    [
      "GPUs nowhere",
      { cluster: created, pools: { system, gpu: existingGpu } },
      { path: "pools.gpu.availabilityDomains", allowed: "not in every availability domain", fix: "[1]" },
    ],
    [
      "a domain that the region lacks",
      {
        cluster: { ...created, oke: { ...oke, region: "eu-zurich-1" } },
        pools: { system, gpu: { ...existingGpu, availabilityDomains: [1, 2] } },
      },
      { path: "pools.gpu.availabilityDomains", allowed: "eu-zurich-1 has one availability domain", fix: "[1]" },
    ],
    [
      "RDMA without its drivers",
      made({ ...h100, rdma: { mode: "managed" } }),
      { path: "pools.more.image", allowed: "Ubuntu images for HPC", fix: "add image: ocid1.image" },
    ],
    [
      "RDMA in two places",
      made({ ...h100, availabilityDomains: [2, 3], image, rdma: { mode: "managed" } }),
      {
        path: "pools.more.availabilityDomains",
        allowed: "a compute cluster or cluster network lies in one",
        fix: "[2]",
      },
    ],
    [
      "RDMA on a machine that has none",
      made({ ...gpu, image, rdma: { mode: "managed" } }),
      { path: "pools.more.rdma", allowed: "VM.GPU.A10.2 has no RDMA network", fix: "Remove rdma" },
    ],
    [
      "AMD's GPUs with NVIDIA's driver",
      made({ shape: "BM.GPU.MI300X.8", availabilityDomains: [1] }),
      { path: "pools.more.image", allowed: "AMD's driver for BM.GPU.MI300X.8", fix: "ROCm" },
    ],
    [
      "an array of disks that the machine has not",
      made({ ...gpu, localDisks: "pods" }),
      { path: "pools.more.localDisks", allowed: "VM.GPU.A10.2 has none", fix: "boot volume" },
    ],
    [
      "local disks as a truth value",
      made({ ...h100, localDisks: true }),
      { path: "pools.more.localDisks", allowed: "pods, unused", fix: "Write pods, or remove it" },
    ],
    [
      "no local disks as a truth value",
      made({ ...h100, localDisks: false }),
      { path: "pools.more.localDisks", allowed: "pods, unused", fix: "Write unused, which leaves the disks alone" },
    ],
    [
      "memory nodes of a machine without GPUs",
      made({ ...system, numa: "restricted" }),
      { path: "pools.more.numa", allowed: "has no GPUs", fix: "Remove numa" },
    ],
    [
      "preemptible bare metal",
      made({ ...h100, capacity: "spot" }),
      { path: "pools.more.capacity", allowed: "no preemptible bare metal", fix: "virtual machines" },
    ],
    [
      "a preemptible place for the platform itself",
      made({ ...system, capacity: "spot" }),
      { path: "pools.more.capacity", allowed: "tolerate no taint", fix: "pool of models" },
    ],
    [
      "a reservation in two places",
      made({ ...h100, availabilityDomains: [1, 2], capacity: { reservation } }),
      { path: "pools.more.availabilityDomains", allowed: "with a reservation", fix: "make a pool for each" },
    ],
    [
      "spot out of a reservation",
      made({ ...gpu, capacity: { spot: true, reservation } }),
      { path: "pools.more.capacity", allowed: "cannot come out of a reservation", fix: "capacity: spot, or keep" },
    ],
    [
      "spot as a mapping",
      made({ ...gpu, capacity: { spot: true } }),
      { path: "pools.more.capacity", allowed: "the word spot", fix: "Write capacity: spot" },
    ],
    [
      "a cluster network of no fixed size: no autoscaler knows it",
      made({ ...clusterNetwork, maxNodes: 4 }),
      { path: "pools.more.maxNodes", allowed: "with rdma.mode: cluster-network", fix: "minNodes: 2 and maxNodes: 2" },
    ],
    [
      "a cluster network of no machines",
      made({ ...clusterNetwork, minNodes: 0, maxNodes: undefined }),
      { path: "pools.more.maxNodes", allowed: "the same as minNodes (0)", fix: "minNodes: 1 and maxNodes: 1" },
    ],
    [
      "a cluster network without drivers",
      made({ ...clusterNetwork, image: undefined }),
      { path: "pools.more.image", allowed: "Ubuntu images for HPC", fix: "add image: ocid1.image" },
    ],
    [
      "a cluster network whose nodes are cycled",
      made({ ...clusterNetwork, cycling: "off" }),
      { path: "pools.more.cycling", allowed: "keep what they booted with", fix: "Remove cycling" },
    ],
    [
      "new boot volumes of machines that may be taken back",
      made({ ...gpu, capacity: "spot", cycling: "boot-volume" }),
      { path: "pools.more.cycling", allowed: "instance or off", fix: "Remove cycling" },
    ],
    [
      "a cluster network in two places",
      made({ ...clusterNetwork, availabilityDomains: [1, 2] }),
      { path: "pools.more.availabilityDomains", allowed: "cluster network lies in one", fix: "[1]" },
    ],
    [
      "confidential machines of no fixed size",
      made({ ...confidential, maxNodes: 3 }),
      {
        path: "pools.more.maxNodes",
        allowed: "with confidential: OKE's autoscaler",
        fix: "minNodes: 2 and maxNodes: 2",
      },
    ],
    [
      "confidential machines whose image nobody names",
      made({ ...confidential, image: undefined }),
      { path: "pools.more.image", allowed: "Oracle Linux 9 or 10 with UEK 8, Ubuntu 24.04", fix: "docs/clusters.md" },
    ],
    [
      "confidential machines out of a reservation",
      made({ ...confidential, capacity: { reservation } }),
      { path: "pools.more.capacity", allowed: "on-demand, with confidential", fix: "Remove capacity" },
    ],
    [
      "confidential machines that may be taken back",
      made({ ...confidential, capacity: "spot" }),
      { path: "pools.more.capacity", allowed: "on-demand, with confidential", fix: "Remove capacity" },
    ],
    [
      "confidential machines with GPUs",
      made({ ...gpu, confidential: true }),
      {
        path: "pools.more.confidential",
        allowed: "machines with GPUs, as VM.GPU.A10.2, none",
        fix: "VM.Standard.E4.Flex",
      },
    ],
    [
      "confidential Arm machines",
      made({ ...e5, shape: "VM.Standard.A1.Flex", confidential: true }),
      { path: "pools.more.confidential", allowed: "has Arm processors", fix: "or VM.Standard.E5.Flex" },
    ],
    [
      "machines of two kinds in one pool",
      made({ ...h100, shape: ["BM.GPU.H100.8", "BM.GPU.H200.8"] }),
      { path: "pools.more.shape", allowed: "replicas that span nodes need equal machines", fix: "a pool for each" },
    ],
  ])("refuse %s", (_, changes, expected) => {
    const [problem, ...others] = problemsWith(changes);
    expect(others).toEqual([]);
    expect(problem?.path).toBe(expected.path);
    expect(problem?.message).toContain(expected.allowed);
    expect(problem?.message).toContain(expected.fix);
  });

  it("refuse GB200 with RDMA for what it is, and name machines that do", () => {
    const problems = problemsWith(
      made({ shape: "BM.GPU.GB200.4", availabilityDomains: [1], image, rdma: { mode: "managed" } }),
    );
    expect(problems.map(({ path }) => path)).toEqual(["pools.more.shape", "pools.more.rdma"]);
    expect(problems[0]?.message).toContain("such as BM.GPU.A100-v2.8, BM.GPU.H100.8, BM.GPU.H200.8, BM.GPU.B200.8");
    expect(problems[1]?.message).toContain("needs a GPU memory cluster");
  });
});

describe("pools of a cluster that somebody else made", () => {
  it.each([
    ["capacity", { capacity: "spot" }],
    ["availabilityDomains", { availabilityDomains: [1] }],
    ["bootVolumeGiB", { bootVolumeGiB: 200 }],
    ["cycling", { cycling: "off" }],
    ["image", { image }],
    ["rdma.mode", { shape: "BM.GPU.H100.8", rdma: { mode: "managed" } }],
    ["rdma.mode", { shape: "BM.GPU.H100.8", rdma: { mode: "cluster-network" } }],
    ["confidential", { confidential: true }],
  ])("have no %s: nobody would read it", (key, keys) => {
    const [problem, ...others] = problemsWith({ pools: { system, gpu: { ...existingGpu, ...keys } } });
    expect(others).toEqual([]);
    expect(problem?.path).toBe(`pools.gpu.${key}`);
    expect(problem?.message).toContain("provision: create");
  });
});
