/** docs/gpu-sharing.md: its seven models fit one card, and what it says is refused is. */
import { describe, expect, it } from "vitest";
import { laptop, onA10, planOf, useFolder } from "../cli/run";
import { planDocument } from "../report/planned";
import { type Sections, suggestedSections } from "./texts";

const folder = useFolder();
const [{ pools, models } = {}, inTurns] = suggestedSections("gpu-sharing.md");
const tls = { kind: "self-signed" };
const edge = {
  stage: "development",
  cluster: { kind: "edge", storageClass: "local-path", gpuRuntimeClass: "nvidia" },
  gateway: { hostname: "slices.example.internal", tls },
  pools,
  models,
};

interface Planned {
  readonly deployable: boolean;
  readonly models: readonly {
    name: string;
    gpuSlice?: object;
    monthlyUsd: number;
    gpuMemoryUtilization: number;
    resources: { cpu: number };
  }[];
  readonly pools: readonly { name: string; gpusClaimed: number; gpusTotal: number; labels: object }[];
  readonly violations: readonly { message: string; policy: string }[];
}

async function deployable(environment: Sections): Promise<Planned> {
  const planned: Planned = await planDocument(environment, folder);
  expect(planned.deployable).toBe(true);
  return planned;
}

describe("the example", () => {
  it("has seven models, each on a slice of the one card", async () => {
    const planned = await deployable(edge);
    const slice = { kind: "mig", profile: "1g.10gb", perGpu: 7, cards: 1 };
    expect(planned.models.map(({ gpuSlice }) => gpuSlice)).toEqual(Array(7).fill(slice));
    expect(new Set(planned.models.map(({ monthlyUsd }) => monthlyUsd.toFixed(2)))).toEqual(new Set(["219.00"]));
    expect(planned.pools).toMatchObject([
      { gpusClaimed: 7, gpusTotal: 7, labels: { "nvidia.com/mig.config": "all-1g.10gb" } },
    ]);
  }, 60_000);

  it("shows slices to people", async () => {
    const { status, out } = await planOf(folder, edge);
    expect(status).toBe(0);
    expect(out).toContain("1 × NVIDIA H100 PCIe in 7 1g.10gb slices");
    expect(out).toContain("7 of 7 slices");
    expect(out).toMatch(/chat +1x-h100-pcie +1g\.10gb +\d/);
  }, 60_000);

  it("has room for no eighth", async () => {
    const eighth = { model: "qwen2.5-0.5b-instruct", contextTokens: 4096, concurrency: 2 };
    const { status, out } = await planOf(folder, { ...edge, models: { ...Object(models), eighth } });
    expect(status).toBe(1);
    expect(out).toContain("pool-capacity");
    expect(out).toContain("does not fit next to the other models");
  }, 60_000);

  it("has none for a model larger than a slice, whose GiB the answer names", async () => {
    const large = { model: "qwen3-8b", contextTokens: 8192, concurrency: 4 };
    const { status, out } = await planOf(folder, { ...edge, models: { large } });
    expect(status).toBe(1);
    const text = out.replace(/\s+/g, " ");
    expect(text).toContain("per 1g.10gb slice of 9.75 GiB");
    expect(text).toContain("change pools.h100.sharing.mig from all-1g.10gb to");
    expect(text).toContain("remove pools.h100.sharing (mig: all-1g.10gb)");
  }, 60_000);
});

it("the example of turns has vLLM twice and Ollama on one card, within it", async () => {
  const planned = await deployable({ ...edge, ...inTurns });
  const slice = { kind: "time-slices", perGpu: 3, cards: 1 };
  expect(planned.models.map(({ gpuSlice }) => gpuSlice)).toEqual(Array(3).fill(slice));
  const [chat, search] = planned.models.map(({ gpuMemoryUtilization }) => gpuMemoryUtilization);
  expect(chat).toBeGreaterThan(0.25);
  expect(chat).toBeLessThan(0.92 / 3);
  expect(search).toBe(chat);
  expect(planned.pools).toMatchObject([{ gpusClaimed: 3, gpusTotal: 3 }]);
}, 60_000);

describe("on a cloud's machine", () => {
  const small = { model: "llama-3.2-1b-instruct", contextTokens: 4096, concurrency: 2 };
  const system = { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 };
  const oci = (pool: object, model: object = {}) =>
    onA10({}, { pools: { system, parts: pool }, models: { chat: { ...small, ...model } } });

  it("fifty-six slices are planned, and one is priced by what the pool costs", async () => {
    const { pools: planned } = await deployable(oci({ shape: "BM.GPU.H100.8", sharing: { mig: "all-1g.10gb" } }));
    expect(planned.find(({ name }) => name === "parts")).toMatchObject({ gpusClaimed: 1, gpusTotal: 56 });
  }, 60_000);

  const refusals: readonly [string, number, Record<string, unknown>, readonly string[]][] = [
    [
      "MIG on an A10",
      2,
      oci({ shape: "VM.GPU.A10.1", sharing: { mig: "all-1g.10gb" } }),
      ["pools.parts.sharing.mig", "cards that have MIG: NVIDIA H100 80GB SXM", "NVIDIA A10 has none"],
    ],
    [
      "MIG and RDMA together",
      2,
      oci({
        shape: "BM.GPU.H100.8",
        sharing: { mig: "all-1g.10gb" },
        rdma: { access: "virtual-functions" },
      }),
      ["pools.parts.sharing", "whole GPUs, where rdma is"],
    ],
    [
      "turns with Ray Serve",
      1,
      oci({ shape: "VM.GPU.A10.1", sharing: { timeSlicing: { replicas: 2 } } }, { engine: "ray" }),
      ["model-fits", "how Ray counts time-sliced GPUs", "engine: vllm or ollama"],
    ],
    [
      "tensor parallelism over slices",
      2,
      oci({ shape: "BM.GPU.H100.8", sharing: { mig: "all-1g.10gb" } }, { vllm: { tensorParallel: 2 } }),
      ["models.chat.vllm.tensorParallel", "write tensorParallel: 1"],
    ],
  ];
  it.each(refusals)(
    "%s is refused",
    async (_, expected, environment, texts) => {
      const { status, out, err } = await planOf(folder, environment);
      expect(status).toBe(expected);
      const text = `${out}${err}`.replace(/\s+/g, " ");
      for (const part of texts) {
        expect(text).toContain(part);
      }
    },
    60_000,
  );

  it("turns are planned for Ollama, under the name that others cannot ask for by mistake", async () => {
    const environment = oci(
      { shape: "VM.GPU.A10.1", sharing: { timeSlicing: { replicas: 2 } } },
      { engine: "ollama", pools: ["parts"] },
    );
    const { models: planned, pools: nodes } = await deployable(environment);
    expect(planned).toMatchObject([
      { gpuSlice: { kind: "time-slices", perGpu: 2, cards: 1 }, resources: { gpuResource: "nvidia.com/gpu.shared" } },
    ]);
    expect(nodes.find(({ name }) => name === "parts")?.labels).toMatchObject({
      "nvidia.com/device-plugin.config": "time-slices-2",
    });
  }, 60_000);

  it("nothing changes for whole GPUs", async () => {
    expect(JSON.stringify(await deployable(laptop))).not.toContain("gpuSlice");
  }, 60_000);
});
