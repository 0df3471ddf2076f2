import { describe, expect, it } from "vitest";
import { parseWith, problemsWith, rightEnvironment } from "./samples";

const { pools } = rightEnvironment;
const mig = (layout: string) => ({ sharing: { mig: layout } });
const turns = (replicas: number) => ({ sharing: { timeSlicing: { replicas } } });
const own = { vcpus: 64, memoryGiB: 256 };
const withPool = (pool: object) => ({ pools: { system: pools.system, whole: pools.gpu, gpu: pool } });

const cases: readonly [string, object, { path: string; allowed: string; fix: string }][] = [
  [
    "a card without MIG",
    { shape: "VM.GPU.A10.1", ...mig("all-1g.10gb") },
    { path: "pools.gpu.sharing.mig", allowed: "NVIDIA A10 has none", fix: "timeSlicing" },
  ],
  [
    "a layout of another card",
    { shape: "BM.GPU.H200.8", ...mig("all-1g.10gb") },
    {
      path: "pools.gpu.sharing.mig",
      allowed: "all-1g.18gb, all-1g.35gb, all-2g.35gb, all-3g.71gb, all-4g.71gb, all-7g.141gb",
      fix: "all-1g.18gb",
    },
  ],
  [
    "AMD's cards",
    { shape: "BM.GPU.MI300X.8", ...turns(2) },
    { path: "pools.gpu.sharing", allowed: "AMD Instinct MI300X is one pod's alone", fix: "remove sharing" },
  ],
  [
    "a machine without GPUs",
    { shape: "VM.Standard.E5.Flex", ocpus: 4, memoryGiB: 32, role: "cpu", ...turns(2) },
    { path: "pools.gpu.sharing", allowed: "has no GPU", fix: "remove sharing" },
  ],
  [
    "more turns than a node has pods",
    { shape: "BM.GPU.H100.8", ...turns(12) },
    { path: "pools.gpu.sharing", allowed: "at most 90 parts", fix: "fewer replicas" },
  ],
  [
    "a label that parts GPUs in silence",
    { shape: "BM.GPU.H100.8", labels: { "nvidia.com/mig.config": "all-1g.10gb" } },
    {
      path: 'pools.gpu.labels["nvidia.com/mig.config"]',
      allowed: "labels that part no GPUs",
      fix: "write pools.gpu.sharing",
    },
  ],
  [
    "RDMA beside slices",
    { shape: "BM.GPU.H100.8", ...mig("all-1g.10gb"), rdma: { access: "virtual-functions" } },
    { path: "pools.gpu.sharing", allowed: "whole GPUs, where rdma is", fix: "remove rdma" },
  ],
];

describe("parts of GPUs", () => {
  it.each(cases)("are refused: %s", (_, pool, { path, allowed, fix }) => {
    const problems = problemsWith(withPool(pool));
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.allowed).toContain(allowed);
    expect(problems[0]?.fix).toContain(fix);
  });

  it("are refused of cards whose slices nobody read, with what is not known", () => {
    const machine = { shape: "g7.2xlarge", usdPerNodeHour: 3, ...mig("all-1g.16gb") };
    const problems = problemsWith({ cluster: { kind: "aws" }, pools: { gpu: machine } });
    const told = problems.find(({ path }) => path === "pools.gpu.sharing.mig");
    expect(told?.allowed).toContain("of NVIDIA RTX PRO 4500 Blackwell it does not: it has MIG from driver 610 on");
  });

  it.each([
    ["slices of a cloud's cards", { shape: "BM.GPU.H100.8", ...mig("all-1g.10gb") }],
    ["whole cards as slices", { shape: "BM.GPU.H100.8", ...mig("all-7g.80gb") }],
    ["turns", { shape: "VM.GPU.A10.1", ...turns(4) }],
    ["turns up to the pods of a node", { shape: "BM.GPU.H100.8", ...turns(11) }],
  ])("are taken: %s", (_, pool) => {
    expect(problemsWith(withPool(pool))).toEqual([]);
  });

  it("are of machines of one's own as well, and not both ways at once", () => {
    const edge = { cluster: { kind: "edge" }, models: { chat: { model: "qwen2.5-7b-instruct" } } };
    const card = { ...own, card: "a100-40gb", gpuCount: 2 };
    expect(parseWith({ ...edge, pools: { gpu: { node: card, ...mig("all-1g.5gb") } } }).ok).toBe(true);
    const both = { sharing: { mig: "all-1g.5gb", timeSlicing: { replicas: 2 } } };
    const [problem, ...others] = problemsWith({ ...edge, pools: { gpu: { node: card, ...both } } });
    expect(others).toEqual([]);
    expect(problem?.path).toBe("pools.gpu.sharing");
    expect(problem?.allowed).toBe(
      "mig or timeSlicing, not both: slices have memory of their own, turns share the memory of a whole card",
    );
    expect(problem?.fix).toContain("keep mig");
  });

  it("are judged by the way that was written, not by the other one", () => {
    const [problem, ...others] = problemsWith(withPool({ shape: "VM.GPU.A10.1", sharing: { timeSlicing: 4 } }));
    expect(problem).toMatchObject({ path: "pools.gpu.sharing.timeSlicing", value: "4" });
    expect(problem?.fix).toContain("replicas");
    expect(others).toEqual([]);
  });

  it("let a model take less than half of its part, which no whole card does", () => {
    const shared = { shape: "VM.GPU.A10.1", ...turns(4) };
    const chat = { model: "qwen2.5-7b-instruct", vllm: { gpuMemoryUtilization: 0.4 } };
    const path = "models.chat.vllm.gpuMemoryUtilization";
    const problems = problemsWith({ pools: { ...pools, shared }, models: { chat } });
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.allowed).toContain("(pools gpu)");
    expect(problemsWith({ pools: { ...pools, shared }, models: { chat: { ...chat, pools: ["shared"] } } })).toEqual([]);
    const most = problemsWith({ models: { chat: { ...chat, vllm: { gpuMemoryUtilization: 0.98 } } } });
    expect(most[0]).toMatchObject({ path, allowed: expect.stringContaining("CUDA context") });
    expect(
      problemsWith({ models: { chat: { ...chat, engine: "ray", ray: chat.vllm, vllm: undefined } } }),
    ).toMatchObject([{ path: "models.chat.ray.gpuMemoryUtilization" }]);
  });

  it("leave one GPU to each pod: tensor parallelism needs a pool of whole ones", () => {
    const slices = { shape: "BM.GPU.H100.8", ...mig("all-1g.10gb") };
    const models = { chat: { model: "qwen2.5-7b-instruct", vllm: { tensorParallel: 2 } } };
    const problems = problemsWith({ pools: { system: pools.system, gpu: slices }, models });
    expect(problems.map(({ path }) => path)).toEqual(["models.chat.vllm.tensorParallel"]);
    expect(problems[0]?.allowed).toContain("part their GPUs");
    expect(problemsWith({ pools: { ...pools, slices }, models })).toEqual([]);
  });
});
