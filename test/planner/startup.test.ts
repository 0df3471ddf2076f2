import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type StartupRequest, startupBudgetSeconds } from "../../planner/startup";
import { shapeNamed } from "./fixtures";

const anyRequest: fc.Arbitrary<StartupRequest & { readonly linkGbps: number }> = fc.record({
  engine: fc.constantFrom("vllm" as const, "ollama" as const),
  loading: fc.constantFrom("copy" as const, "stream" as const),
  weightsGB: fc.double({ min: 0, max: 2000, noNaN: true }),
  shape: fc.constantFrom(...["VM.GPU.A10.1", "BM.GPU.H100.8", "p5.48xlarge", "g6.xlarge"].map(shapeNamed)),
  nodesPerReplica: fc.integer({ min: 1, max: 8 }),
  linkGbps: fc.double({ min: 0.1, max: 400, noNaN: true }),
});
const more = fc.double({ min: 0, max: 500, noNaN: true });

describe("startupBudgetSeconds", () => {
  it("never falls with more bytes or nodes, and never rises with a faster link or without the copy", () => {
    fc.assert(
      fc.property(anyRequest, more, (request, by) => {
        const budget = startupBudgetSeconds(request);
        const changed = (change: Partial<StartupRequest>) => startupBudgetSeconds({ ...request, ...change });
        expect(changed({ weightsGB: request.weightsGB + by })).toBeGreaterThanOrEqual(budget);
        expect(changed({ nodesPerReplica: request.nodesPerReplica + 1 })).toBeGreaterThanOrEqual(budget);
        expect(changed({ linkGbps: request.linkGbps + by })).toBeLessThanOrEqual(budget);
        expect(changed({ loading: "stream" })).toBeLessThanOrEqual(budget);
        const { linkGbps: _, ...onTheNode } = request;
        expect(startupBudgetSeconds({ ...onTheNode, loading: "copy" })).toBeLessThanOrEqual(
          changed({ loading: "copy" }),
        );
      }),
    );
  });

  it("is longer than the bytes take over the nominal link, in whole tens of seconds", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const budget = startupBudgetSeconds(request);
        expect(budget).toBeGreaterThan((request.weightsGB * 8) / request.linkGbps);
        expect(budget % 10).toBe(0);
        expect(budget).toBeGreaterThanOrEqual(60);
      }),
    );
  });

  it("counts the node's own network where that is slower than the store's", () => {
    const shape = { ...shapeNamed("VM.GPU.A10.1"), networkGbps: 10 };
    const request = { engine: "vllm", loading: "copy", weightsGB: 140, shape, nodesPerReplica: 1 } as const;
    expect(startupBudgetSeconds({ ...request, linkGbps: 400 })).toBe(
      startupBudgetSeconds({ ...request, linkGbps: 10 }),
    );
    expect(startupBudgetSeconds({ ...request, linkGbps: 5 })).toBeGreaterThan(
      startupBudgetSeconds({ ...request, linkGbps: 10 }),
    );
  });
});
