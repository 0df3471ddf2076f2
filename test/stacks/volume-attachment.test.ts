import { describe, expect, it } from "vitest";
import { findShape } from "../../catalog/shapes";
import { volumeAttachmentProblems } from "../../stacks/volume-attachment";

type Plan = Parameters<typeof volumeAttachmentProblems>[1];

const pool = (name: string, shape: string, role: "system" | "gpu" = "gpu") => ({ name, role, shape: findShape(shape) });
const planOf = (pools: object[], engine = "ollama", sizeGiB = 50) =>
  ({
    pools,
    models: [{ name: "chat", engine, pool: "a10" }],
    storage: { models: [], bucket: "models", sizeGiB },
  }) as unknown as Plan;
const cluster = (changes: object = {}) => ({ cluster: { kind: "oci", provision: "create", ...changes } }) as never;
const metrics = { volumes: [{ name: "metrics", sizeGiB: 50, count: 1 }] };
const subjects = (...args: Parameters<typeof volumeAttachmentProblems>) =>
  volumeAttachmentProblems(...args).map(({ severity, rule, subject }) => ({ severity, rule, subject }));

describe("volumes on bare metal", () => {
  const vm = pool("system", "VM.Standard.E5.Flex", "system");
  const bm = pool("a10", "BM.GPU.A10.4");

  it("are refused for models that have one, with pools that can", () => {
    expect(subjects(cluster(), planOf([vm, bm]), metrics)).toEqual([
      { severity: "mandatory", rule: "volume-attachment", subject: "models.chat" },
    ]);
    const [problem] = volumeAttachmentProblems(cluster(), planOf([vm, bm, pool("small", "VM.GPU.A10.1")]), metrics);
    expect(problem?.message).toContain("pools: [small]");
  });

  it("are refused for the platform's own, where it has any", () => {
    const system = pool("system", "BM.Standard.E4.128", "system");
    expect(subjects(cluster(), planOf([system, bm], "vllm"), metrics).map(({ subject }) => subject)).toEqual([
      "pools.system.shape",
    ]);
    expect(subjects(cluster(), planOf([system, bm], "vllm", 0), { volumes: [] })).toEqual([]);
  });

  it.each([
    ["a model without a volume", cluster(), planOf([vm, bm], "vllm")],
    ["virtual machines", cluster(), planOf([vm, pool("a10", "VM.GPU.A10.1")])],
    ["a class of one's own", cluster({ storageClass: "mine" }), planOf([vm, bm])],
    ["a cluster that exists, with a class of its own", cluster({ provision: "existing" }), planOf([vm, bm])],
    ["another cloud", cluster({ kind: "aws" }), planOf([vm, bm])],
  ])("are no matter of %s", (_, environment, plan) => {
    expect(subjects(environment, plan, metrics)).toEqual([]);
  });
});
