import { describe, expect, it } from "vitest";
import { problemsWith } from "./samples";

const LAPTOP = { role: "cpu", node: { vcpus: 8, memoryGiB: 16 } };
const MADE = { kind: "local", provision: "create", local: { tool: "k3d" } };
const MODELS = { models: { small: { model: "llama-3.2-3b-instruct", engine: "ollama" } } };

/** Problems by path, with what mends each. */
function problems(cluster: object, pools: object = { laptop: LAPTOP }, changes: object = {}): string[] {
  return problemsWith({ ...MODELS, cluster, pools, ...changes }).map(({ path, fix }) => `${path}: ${fix}`);
}

describe("a local cluster that is made here", () => {
  it("needs no more than the tool that makes it", () => {
    expect(problems(MADE)).toEqual([]);
    expect(problems({ ...MADE, local: { tool: "kind", engine: "podman" } })).toEqual([]);
    expect(problems({ kind: "local" })).toEqual([]);
  });

  it("says its tool, and one that is not made here does not", () => {
    expect(problems({ kind: "local", provision: "create" })).toEqual([
      "cluster.local: add local: {tool: k3d} or local: {tool: kind}, or write provision: existing",
    ]);
    expect(problems({ kind: "local", local: { tool: "k3d" } })).toEqual([
      "cluster.local: write provision: create, or remove local",
    ]);
    expect(problems({ ...MADE, local: { tool: "minikube" } })[0]).toMatch(/^cluster\.local\.tool: /);
  });

  it("has a kubeconfig of its own", () => {
    expect(problems({ ...MADE, kubeContext: "kind-dev" })).toEqual([
      "cluster.kubeContext: remove kubeContext, or write provision: existing",
    ]);
  });

  it("is made by k3d in docker alone", () => {
    expect(problems({ ...MADE, local: { tool: "k3d", engine: "podman" } })).toEqual([
      "cluster.local.engine: write engine: docker, or tool: kind",
    ]);
  });

  it("has one node without GPUs, labels and what clouds alone make", () => {
    expect(problems(MADE, { laptop: LAPTOP, second: LAPTOP })).toContainEqual(
      "pools: keep the pool that describes the machine",
    );
    const card = { node: { card: "rtx-4090", gpuCount: 1, vcpus: 16, memoryGiB: 64 } };
    expect(problems(MADE, { laptop: card })).toContainEqual(expect.stringMatching(/^pools\.laptop: leave card/));
    const shape = { shape: "m7i.2xlarge", role: "cpu" };
    expect(problems(MADE, { laptop: shape })).toContainEqual(expect.stringMatching(/^pools\.laptop\.shape: /));
    expect(problems(MADE, { laptop: { ...LAPTOP, maxNodes: 3 } })).toEqual(["pools.laptop.maxNodes: remove maxNodes"]);
    expect(problems(MADE, { laptop: { ...LAPTOP, minNodes: 0 } })).toEqual(["pools.laptop.minNodes: remove minNodes"]);
    expect(problems(MADE, { laptop: { ...LAPTOP, labels: { a: "b" } } })).toContainEqual(
      expect.stringMatching(/^pools\.laptop\.labels: remove labels/),
    );
    expect(problems(MADE, { laptop: { ...LAPTOP, bootVolumeGiB: 100 } })).toEqual([
      "pools.laptop.bootVolumeGiB: remove bootVolumeGiB",
    ]);
  });

  it("brings no software of GPUs", () => {
    const told = problemsWith({ ...MODELS, cluster: { ...MADE, gpuSoftware: "platform" }, pools: { laptop: LAPTOP } });
    expect(told.map(({ path, message }) => [path, message])).toEqual([
      ["cluster.gpuSoftware", expect.stringContaining("a cluster that is made here has no GPUs")],
    ]);
  });

  it("may be all that a stack makes", () => {
    expect(problems(MADE, { laptop: LAPTOP }, { scope: "cluster" })).toEqual([]);
    expect(problems({ kind: "local" }, { laptop: LAPTOP }, { scope: "cluster" })).toEqual([
      "scope: write provision: create with local: {tool: k3d} or local: {tool: kind}, or scope: platform",
    ]);
    expect(problems(MADE, { laptop: LAPTOP }, { scope: "platform" })).toEqual([
      expect.stringMatching(/^scope: .* and remove local; or provision: existing$/),
    ]);
  });
});
