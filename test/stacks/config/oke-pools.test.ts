import { describe, expect, it } from "vitest";
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

describe("pools of a cluster that is made here", () => {
  it("are right as the environments have them", () => {
    expect(problemsWith(made({ ...h100, image, rdma: { mode: "managed" } }))).toEqual([]);
    expect(problemsWith(made({ ...gpu, capacity: "spot" }))).toEqual([]);
    expect(problemsWith(made({ ...h100, capacity: { reservation } }))).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, { path: string; allowed: string; fix: string }]>([
    [
      "GPUs nowhere",
      { cluster: created, pools: { system, gpu: existingGpu } },
      { path: "pools.gpu.availabilityDomains", allowed: "not in every availability domain", fix: "[1]" },
    ],
    [
      "RDMA without its drivers",
      made({ ...h100, rdma: { mode: "managed" } }),
      { path: "pools.more.image", allowed: "Ubuntu images for HPC", fix: "add image: ocid1.image" },
    ],
    [
      "RDMA in two places",
      made({ ...h100, availabilityDomains: [2, 3], image, rdma: { mode: "managed" } }),
      { path: "pools.more.availabilityDomains", allowed: "a compute cluster lies in one", fix: "[2]" },
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
    ["image", { image }],
    ["rdma.mode", { shape: "BM.GPU.H100.8", rdma: { mode: "managed" } }],
  ])("have no %s: nobody would read it", (key, keys) => {
    const [problem, ...others] = problemsWith({ pools: { system, gpu: { ...existingGpu, ...keys } } });
    expect(others).toEqual([]);
    expect(problem?.path).toBe(`pools.gpu.${key}`);
    expect(problem?.message).toContain("provision: create");
  });
});
