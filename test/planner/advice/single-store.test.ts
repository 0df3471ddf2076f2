import { describe, expect, it } from "vitest";
import { bucketText } from "../../../planner/advice/single-store";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { PlanRequest } from "../../../planner/request";
import { environmentOf, modelOf, poolOf } from "../fixtures";

const CHAT = modelOf("llama-3.3-70b-instruct", { name: "chat" });

/** The store is on the platform's machines. */
function environment(system: string, changes: Partial<PlanRequest> = {}, model = CHAT): PlanRequest {
  const pools = [poolOf(system, 3, { name: "system", role: "system", minNodes: 2 }), poolOf("p5.48xlarge", 2)];
  return environmentOf([], [model], { pools, ...changes });
}

function advice(request: PlanRequest): string | undefined {
  return planWithAdvice(request).problems.find(({ rule }) => rule === "single-store")?.message;
}

describe("the single model store of a cloud", () => {
  it.each([
    ["AWS", "m7i.2xlarge", "99.4 % of the time (node 99.5 %, volume 99.9 %)", [0.023, 0.08]],
    ["OCI", "VM.Standard.E5.Flex", "99.8 % of the time (node 99.9 %, volume 99.9 %)", [0.0255, 0.0425]],
  ])(
    "is named on %s with what it costs in availability, and what a bucket costs",
    (_, shape, there, [bucket, volume]) => {
      const message = advice(
        environment(shape, { storage: { bucket: "models", sizeGiB: 1000, registryGbps: 1, storeGbps: 10 } }),
      );
      expect(message).toContain(`in one zone, available ${there}`);
      expect(message).toContain(
        `Next step: a bucket of the cloud, 99.9 %: ${((bucket ?? 0) * 1000).toFixed(2)} USD a month for 1000 GiB, without requests, in place of the volume's ${((volume ?? 0) * 1000).toFixed(2)}. Write storage.backend: {bucket: <name>}`,
      );
    },
  );

  it("is named without the figures that the catalogue does not have", () => {
    const known = { sizeGiB: 10, there: 0.999, usd: 0.23, volumeUsd: 0.8 };
    expect(bucketText({ ...known, usd: undefined })).toContain(
      "a bucket of the cloud, 99.9 %: without a price in the catalogue. Write storage.backend: {bucket: <name>}",
    );
    expect(bucketText({ ...known, there: undefined, volumeUsd: undefined })).toContain(
      "a bucket of the cloud: 0.23 USD a month for 10 GiB, without requests. Write storage.backend: {bucket: <name>}",
    );
  });

  it("is nothing to name in development, on machines of one's own, or without models in it", () => {
    const ollama = modelOf("bge-m3", {
      name: "embeddings",
      engine: "ollama",
      source: { kind: "ollama", tag: "bge-m3" },
    });
    expect(advice(environment("m7i.2xlarge", { stage: "development" }))).toBeUndefined();
    expect(advice(environment("m7i.2xlarge", {}, ollama))).toBeUndefined();
    const { pools, ...rest } = environment("m7i.2xlarge");
    const own = pools.map((pool) => ({ ...pool, shape: { ...pool.shape, provider: "onprem" as const } }));
    expect(advice({ ...rest, pools: own })).toBeUndefined();
  });
});
