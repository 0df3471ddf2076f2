import { expect, it } from "vitest";
import { onPremNode } from "../../catalog/shapes";
import { planDeployment } from "../../planner/plan";
import { environmentOf, modelOf, poolOf } from "./fixtures";

it("says that a replica of an engine stays on one node, and keeps most of its GPUs", () => {
  const engine = { engine: "ray" as const, engineVersion: "2.56.0", tensorParallel: 4, pipelineParallel: 3 };
  const model = modelOf("llama-3.3-70b-instruct", { name: "chat", ...engine });
  const { problems } = planDeployment(environmentOf([poolOf("BM.GPU.A10.4", 3)], [model]));
  expect(problems).toContainEqual(
    expect.objectContaining({
      rule: "model-fits",
      message: expect.stringMatching(/takes 12 GPUs, .* on one node, with 4/),
      remedies: [expect.stringContaining("pipelineParallel: 1")],
    }),
  );
});

it("says all that keeps a replica on one node: what mends one reason leads to the next", () => {
  const node = { card: "h100-pcie", gpuCount: 1, vcpus: 32, memoryGiB: 256, localNvmeGB: 2000, networkGbps: 1 };
  const pool = poolOf("BM.GPU.A10.4", 2, { name: "gpu", shape: onPremNode(node), usdPerNodeHour: 0 });
  const model = modelOf("llama-3.3-70b-instruct", { name: "chat", engineVersion: "0.11.0" });
  const remedies = planDeployment(environmentOf([pool], [model])).problems.flatMap((each) => each.remedies ?? []);
  expect(remedies).toContainEqual(expect.stringMatching(/networkGbps: 10.*engineVersion: "0\.11\.1"/));
});

it("offers no way over nodes where the model lacks memory on all of them, too", () => {
  const efa = poolOf("g6.24xlarge", 2, { name: "g6", rdmaAccess: "efa" });
  const askedOf = (name: string) => modelOf(name, { name: "chat", engineVersion: "0.32.0", concurrency: 1 });
  const refusal = (name: string) => planDeployment(environmentOf([efa], [askedOf(name)])).problems[0];
  expect(refusal("llama-3.3-70b-instruct")?.remedies ?? []).toEqual([expect.stringContaining("pools.g6.rdma")]);
  const { message, remedies = [] } = refusal("llama-4-scout-17b-16e-instruct") ?? {};
  expect(message).toMatch(/over 2 of them it would still lack \d+\.\d GiB per GPU/);
  expect(remedies).toEqual([]);
});
