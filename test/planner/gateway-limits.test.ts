import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GatewayDemand, gatewayLimits } from "../../planner/gateway-limits";

const MIB = 2 ** 20;
const chat = { task: "chat", takesImages: false, contextTokens: 8192, concurrency: 8, maxReplicas: 2 } as const;

describe("limits of the gateway", () => {
  it.each([
    ["text", [chat], 4],
    ["a reranker", [{ ...chat, task: "rerank" }], 4],
    ["a context of a million tokens", [chat, { ...chat, contextTokens: 2 ** 20 }], 8],
    ["images", [chat, { ...chat, takesImages: true }], 32],
    ["embeddings, whose answers are large", [chat, { ...chat, task: "embedding" }], 32],
    ["no model", [], 4],
  ] as const)("take bodies as large as the models need: %s", (_, models, mib) => {
    expect(gatewayLimits({ stage: "production", models }).maxRequestBytes).toBe(mib * MIB);
  });

  it("take what the environment says", () => {
    expect(gatewayLimits({ stage: "production", models: [chat], maxRequestMiB: 64 }).maxRequestBytes).toBe(64 * MIB);
  });

  it.each([
    ["a small environment", "development", [{ ...chat, concurrency: 2, maxReplicas: 1 }], 1, 54],
    ["text for many", "production", [chat], 2, 115],
    // 2 × 2 × 16 requests of 32 MiB, which the filter holds four times.
    ["images for many", "production", [{ ...chat, takesImages: true, concurrency: 16 }], 9, 67],
    ["more than a proxy can be", "production", [{ ...chat, takesImages: true, concurrency: 512 }], 16, 121],
  ] as const)("size a proxy: %s", (_, stage, models, proxyMemoryGiB, parallelRequests) => {
    expect(gatewayLimits({ stage, models })).toMatchObject({ proxyMemoryGiB, parallelRequests });
  });

  it("never let a model's requests hold more than Envoy's heap, or the filter beside it", () => {
    const models = fc.array(
      fc.record({
        task: fc.constantFrom("chat", "completion", "embedding", "rerank"),
        takesImages: fc.boolean(),
        contextTokens: fc.integer({ min: 1, max: 2 ** 21 }),
        concurrency: fc.integer({ min: 1, max: 4096 }),
        maxReplicas: fc.integer({ min: 1, max: 64 }),
      }) as fc.Arbitrary<GatewayDemand["models"][number]>,
    );
    fc.assert(
      fc.property(
        models,
        fc.constantFrom("production", "development"),
        fc.integer({ min: 1, max: 512 }),
        (m, s, mib) => {
          for (const maxRequestMiB of [undefined, mib]) {
            const limits = gatewayLimits({
              stage: s,
              models: m,
              ...(maxRequestMiB !== undefined && { maxRequestMiB }),
            });
            const { maxRequestBytes, parallelRequests, proxyMemoryGiB } = limits;
            const bodiesGiB = (parallelRequests * maxRequestBytes) / 2 ** 30;
            expect(0.4 + 1.8 * bodiesGiB).toBeLessThanOrEqual(proxyMemoryGiB * 0.8);
            expect(0.1 + 4.2 * bodiesGiB).toBeLessThanOrEqual(proxyMemoryGiB);
            expect(parallelRequests).toBeGreaterThan(0);
            expect(proxyMemoryGiB).toBeLessThanOrEqual(16);
          }
        },
      ),
    );
  });
});
