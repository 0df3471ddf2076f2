import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlReport } from "../../report/html";
import { arrange } from "../../report/html/arrangement";
import { MODEL_COLORS } from "../../report/html/model-keys";
import { storagePlan } from "../harness/plans";
import { modelPlan, planResult, poolPlan, shape } from "./html.fixture";
import { visibleText } from "./page";

describe("the topology", () => {
  it("draws each GPU of a pool as one cell, claimed or free", () => {
    const page = htmlReport(planResult);
    const labels = [...page.matchAll(/class="label"[^>]*>([A-Z]\d*)</g)].map((match) => match[1]);
    expect(labels.filter((label) => label === "A1")).toHaveLength(16);
    expect(labels.filter((label) => label === "B1")).toHaveLength(2);
    expect(labels.filter((label) => label === "C1")).toHaveLength(1);
    expect(page.match(/<title>GPU \d+: free<\/title>/g)).toHaveLength(1);
    expect(labels).toContain("D2");
  });

  it("joins the nodes of a replica in one frame, with the network between them", () => {
    const page = htmlReport(planResult);
    expect(page.match(/class="frame m0"/g)).toHaveLength(1);
    // What the rendered pods use, not what the machines could do.
    expect(visibleText(page)).toContain("PP 2 · TCP over Ethernet node 1");
    expect(visibleText(page)).toContain(
      "p5.48xlarge has EFA, 3,200 Gbit/s, and its pods do not use it: pools.large.rdma does not say that its nodes offer it to pods",
    );
    expect(page).toContain(
      'aria-label="Pool large, node 1 (stage 1 of 2): llama-405b replica 1; node 2 (stage 2 of 2): llama-405b replica 1"',
    );
    expect(page).toContain('aria-label="Pool shared, node 1 (3 of 4 GPUs): qwen-8b replica 1, reranker replica 1"');
  });

  it("shows alike nodes of a large pool once", () => {
    const pools = [poolPlan({ name: "shared", shape: shape("g6.12xlarge"), minNodes: 50 })];
    const page = htmlReport({
      ...planResult,
      plan: { ...planResult.plan, pools, models: [modelPlan({ name: "many", minReplicas: 199, maxReplicas: 199 })] },
    });
    const text = visibleText(page);
    expect(text).toContain("49 alike");
    expect(page.match(/<figure>/g)).toHaveLength(2);
  });

  it("places every pod exactly once, never more on a node than it holds", () => {
    const model = fc.record({
      gpus: fc.integer({ min: 1, max: 8 }),
      replicas: fc.integer({ min: 1, max: 6 }),
      nodes: fc.constantFrom(1, 1, 2, 3),
    });
    fc.assert(
      fc.property(fc.array(model, { maxLength: 6 }), fc.integer({ min: 0, max: 4 }), (wanted, minNodes) => {
        const pool = poolPlan({ name: "large", shape: shape("p5.48xlarge"), minNodes });
        const models = wanted.map(({ gpus, replicas, nodes }, i) => {
          const gpusPerNode = nodes > 1 ? 8 : gpus;
          const resources = {
            cpu: gpusPerNode,
            memoryGiB: gpusPerNode,
            ephemeralStorageGiB: 1,
            sharedMemoryGiB: 1,
            gpus: gpusPerNode,
          };
          return modelPlan({
            name: `m${i}`,
            pool: "large",
            gpusPerNode,
            nodesPerReplica: nodes,
            minReplicas: replicas,
            maxReplicas: replicas,
            resources,
          });
        });
        const nodes = arrange({ pools: [pool], models, unplaced: [], storage: storagePlan(models) }, pool).flat();
        const pods = nodes.flatMap((node) => node.pods.map((pod) => `${pod.model.name}/${pod.replica}/${pod.rank}`));
        expect(new Set(pods).size).toBe(pods.length);
        expect(pods).toHaveLength(wanted.reduce((sum, { replicas, nodes: span }) => sum + replicas * span, 0));
        expect(nodes.every(({ pods: here }) => here.reduce((sum, pod) => sum + pod.model.gpusPerNode, 0) <= 8)).toBe(
          true,
        );
        expect(nodes.map((node) => node.number)).toEqual(nodes.map((_, i) => i + 1));
        expect(nodes.length).toBeGreaterThanOrEqual(minNodes);
      }),
    );
  });

  it("gives letters that are legible on every model colour (WCAG AA)", () => {
    for (const color of MODEL_COLORS) {
      const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
      const [r = 0, g = 0, b = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      expect(1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  });
});
