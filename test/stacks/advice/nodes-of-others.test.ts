import { expect, it } from "vitest";
import { environmentText, rightEnvironment } from "../config/samples";
import { planText } from "../planned";

const machine = { card: "l40s", gpuCount: 1, vcpus: 16, memoryGiB: 128 };

async function adviceOn(nodes: object) {
  const sections = {
    ...rightEnvironment,
    cluster: { kind: "local" },
    pools: { system: { node: { vcpus: 8, memoryGiB: 32 }, minNodes: 2 }, gpu: { node: machine, ...nodes } },
    models: { chat: { model: "qwen3-8b", concurrency: 4, replicas: { min: 0, max: 3 } } },
  };
  const { plan } = await planText(environmentText(sections));
  return plan.problems.filter(({ rule }) => rule === "nodes-of-others");
}

it("is given where a pool of an existing cluster may grow, and none adds its nodes", async () => {
  expect(await adviceOn({ minNodes: 0, maxNodes: 3 })).toEqual([
    expect.objectContaining({
      severity: "advisory",
      subject: "pools.gpu.maxNodes",
      message: expect.stringMatching(/^0 to 3 nodes/),
    }),
  ]);
  expect(await adviceOn({ minNodes: 3 })).toEqual([]);
});
