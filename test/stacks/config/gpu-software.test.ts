import { describe, expect, it } from "vitest";
import { problemsWith } from "./samples";

const A10 = { shape: "VM.GPU.A10.1", minNodes: 1 };
const G6 = { shape: "g6.xlarge", minNodes: 1 };
const CARD = { node: { card: "rtx-4090", gpuCount: 1, vcpus: 16, memoryGiB: 64 } };
const RADEON = { node: { card: "radeon-pro-w7900", gpuCount: 1, vcpus: 16, memoryGiB: 64 } };

/** Problems of GPU software alone, by path. */
function problems(cluster: object, pools: object): string[] {
  return problemsWith({ cluster, pools })
    .filter(({ path }) => /gpuSoftware|gpuNodeImage|sharing|access/.test(path))
    .map(({ path, fix }) => `${path}: ${fix}`);
}

describe("gpuSoftware", () => {
  it("is the platform's only of clusters that exist", () => {
    const removed = ["cluster.gpuSoftware: remove gpuSoftware, or write provision: existing"];
    expect(problems({ kind: "aws", gpuSoftware: "platform" }, { gpu: G6 })).toEqual([]);
    expect(problems({ kind: "oci", provision: "create", gpuSoftware: "platform" }, { gpu: A10 })).toEqual(removed);
    expect(
      problems({ kind: "aws", provision: "stack", stackReference: "a/b/c", gpuSoftware: "platform" }, { gpu: G6 }),
    ).toEqual(removed);
  });

  it("cannot part cards whose device plugin boots with the node, nor make virtual functions", () => {
    const cluster = { kind: "aws", gpuSoftware: "platform", gpuNodeImage: "bottlerocket" };
    const parted = { ...G6, sharing: { timeSlicing: { replicas: 2 } } };
    expect(problems(cluster, { gpu: parted })).toEqual([
      expect.stringMatching(/^pools\.gpu\.sharing: part the cards in the nodes' user data/),
    ]);
    expect(problems({ ...cluster, gpuNodeImage: "al2023" }, { gpu: parted })).toEqual([]);
    const rdma = { shape: "BM.GPU.H100.8", minNodes: 2, rdma: { access: "virtual-functions" } };
    expect(problems({ kind: "oci", gpuSoftware: "platform" }, { gpu: rdma })).toEqual([
      expect.stringMatching(/^pools\.gpu\.rdma\.access: install it and write gpuSoftware: present/),
    ]);
    expect(problems({ kind: "oci" }, { gpu: rdma })).toEqual([]);
  });
});

describe("gpuNodeImage", () => {
  it("must be said where nothing is known of the nodes, and they have NVIDIA's cards", () => {
    const cluster = { kind: "local", gpuSoftware: "platform" };
    expect(problems(cluster, { gpu: CARD })).toEqual([
      expect.stringMatching(/^cluster\.gpuNodeImage: add gpuNodeImage: al2023 \(Amazon's .*bare \(/),
    ]);
    expect(problems(cluster, { gpu: RADEON })).toEqual([]);
    expect(problems({ ...cluster, gpuNodeImage: "bare" }, { gpu: CARD })).toEqual([]);
    expect(problems({ ...cluster, kind: "edge" }, { gpu: CARD })).toEqual([]);
  });

  it("is asked for by the platform's software alone", () => {
    expect(problems({ kind: "edge", gpuNodeImage: "k3s" }, { gpu: CARD })).toEqual([
      "cluster.gpuNodeImage: write gpuSoftware: platform, or remove gpuNodeImage",
    ]);
  });

  it.each([
    ["aws", { gpu: G6 }, "oke-ubuntu", "al2023, bottlerocket, k3s, bare"],
    ["oci", { gpu: A10 }, "bottlerocket", "oke-oracle-linux, oke-ubuntu, k3s, bare"],
    ["aws", { gpu: G6 }, "botlerocket", "al2023, bottlerocket, k3s, bare"],
    ["oci", { gpu: A10 }, "windows", "oke-oracle-linux, oke-ubuntu, k3s, bare"],
  ])("lists on %s no image of another cloud", (kind, pools, gpuNodeImage, images) => {
    const cluster = { kind, gpuSoftware: "platform", gpuNodeImage };
    const [problem, ...others] = problemsWith({ cluster, pools }).filter(({ path }) => path === "cluster.gpuNodeImage");
    expect(others).toEqual([]);
    expect(problem?.allowed.replace(/^.*one of /, "").replace(/:.*/, "")).toBe(images);
  });

  it("is meant by a slip, of this cloud's alone", () => {
    const typo = { gpuSoftware: "platform", gpuNodeImage: "oke-ubunto" };
    expect(problems({ kind: "oci", ...typo }, { gpu: A10 })).toEqual([
      'cluster.gpuNodeImage: did you mean "oke-ubuntu"?',
    ]);
    expect(problems({ kind: "aws", ...typo }, { gpu: G6 })).toEqual([
      "cluster.gpuNodeImage: write one of al2023, bottlerocket, k3s, bare",
    ]);
  });

  it("is of the cluster's cloud", () => {
    expect(problems({ kind: "aws", gpuSoftware: "platform", gpuNodeImage: "oke-ubuntu" }, { gpu: G6 })).toEqual([
      "cluster.gpuNodeImage: write al2023, or kind: oci",
    ]);
    expect(problems({ kind: "local", gpuSoftware: "platform", gpuNodeImage: "oke-ubuntu" }, { gpu: CARD })).toEqual([]);
  });
});
