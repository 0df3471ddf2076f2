import { describe, expect, it } from "vitest";
import { changesBeside, cutRequests, interruptedModels } from "../../../stacks/advice/interruptions";
import { gatewaySection } from "../../../stacks/config/core/sections/gateway";
import { modelPlan } from "../../harness/plans";

describe("interruptions", () => {
  const plan = (...models: ReturnType<typeof modelPlan>[]) =>
    ({ models, pools: [onePool(1)] }) as unknown as Parameters<typeof interruptedModels>[0]["plan"];
  /** One GPU to a node. */
  const onePool = (maxNodes: number) => ({
    name: "a10",
    minNodes: 1,
    maxNodes,
    gpusClaimed: 1,
    shape: { gpu: { count: 1 } },
  });

  it("are told of a model that every change takes away, with the minutes", () => {
    const single = modelPlan({ name: "chat", minReplicas: 1, startupBudgetSeconds: 400, drainSeconds: 600 });
    expect(interruptedModels({ plan: plan(single) })).toEqual([
      {
        severity: "advisory",
        rule: "interrupted-by-changes",
        subject: "models.chat",
        message: expect.stringMatching(/up to 7 min, .*\(up to 10 min\): .* replicas: \{min: 2\}/),
      },
    ]);
  });

  it("name the nodes that a second replica needs, where the pool has no room for it", () => {
    const adviceWith = (maxNodes: number) => {
      const models = [modelPlan({ minReplicas: 1 })];
      const advised = { plan: { models, pools: [onePool(maxNodes)] } } as unknown as Parameters<
        typeof interruptedModels
      >[0];
      return interruptedModels(advised)[0]?.message;
    };
    expect(adviceWith(1)).toContain("{min: 2} with pools.a10.maxNodes: 2 ");
    expect(adviceWith(2)).not.toContain("maxNodes");
  });

  it("are not told where another replica serves, or a new one starts beside", () => {
    const onCpu = { cpu: 4, memoryGiB: 8, ephemeralStorageGiB: 1, sharedMemoryGiB: 0, gpus: 0 };
    expect(interruptedModels({ plan: plan(modelPlan({ minReplicas: 2 }), modelPlan({ resources: onCpu })) })).toEqual(
      [],
    );
  });

  it("of a Ray model are none: its change takes as many GPUs again, and waits for ever where these are not", () => {
    const model = modelPlan({
      name: "chat",
      engine: "ray",
      pool: "gpu",
      minReplicas: 2,
      gpusPerNode: 1,
      nodesPerReplica: 1,
    });
    const pools = (maxNodes: number) => [
      { name: "gpu", shape: { gpu: { count: 1 } }, minNodes: 2, maxNodes, gpusClaimed: 2 },
    ];
    const on = (maxNodes: number) =>
      ({ plan: { models: [model], pools: pools(maxNodes) } }) as unknown as Parameters<typeof changesBeside>[0];
    expect(interruptedModels({ plan: plan(modelPlan({ engine: "ray", minReplicas: 1 })) })).toEqual([]);
    expect(changesBeside(on(4))).toMatchObject([
      {
        rule: "changes-need-room",
        subject: "models.chat",
        message: expect.stringMatching(/takes 2 GPUs more .* at most 4 nodes\.$/),
      },
    ]);
    expect(changesBeside(on(3))).toMatchObject([
      {
        rule: "changes-need-room",
        message: expect.stringMatching(/has 1 on its at most 3 nodes: .*pools\.gpu\.maxNodes: 4/),
      },
    ]);
    expect(
      changesBeside({ plan: { models: [modelPlan({ minReplicas: 2 })], pools: pools(2) } } as unknown as Parameters<
        typeof changesBeside
      >[0]),
    ).toEqual([]);
  });

  it("of requests are told where who leaves waits for less than they may take", () => {
    const gateway = gatewaySection.parse({ hostname: "llm.example.com", tls: { kind: "self-signed" } });
    const cut = (drainSeconds?: number) =>
      cutRequests({ environment: { gateway: { ...gateway, drainSeconds } } } as unknown as Parameters<
        typeof cutRequests
      >[0]);
    expect(cut()).toEqual([]);
    expect(cut(3600)).toEqual([]);
    expect(cut(600)).toMatchObject([
      { rule: "cut-requests", subject: "gateway.drainSeconds", message: expect.stringMatching(/60 min.*10 min/) },
    ]);
  });
});
