import { describe, expect, it } from "vitest";
import { beta9Problems } from "../../../stacks/addons/beta9/problems";
import { okePool } from "../../harness/oke-pools";

describe("pools that functions of Beta9 use beside models", () => {
  const pool = (name: string, numa?: "restricted" | "best-effort") =>
    okePool("BM.GPU.H100.8", { name, ...(numa && { numa }) }).plan;
  const told = (...pools: ReturnType<typeof pool>[]) =>
    beta9Problems({ acknowledgeClusterAdmin: true, gpuPools: ["shared", "old"] }, { pools })
      .filter(({ rule }) => rule === "numa-policy")
      .map(({ severity, subject }) => `${severity} ${subject}`);

  it("have kubelets that turn nobody down for where GPUs are, for no plan knows functions", () => {
    expect(told(pool("shared", "restricted"), pool("models", "restricted"), pool("old"))).toEqual([
      "mandatory pools.shared.numa",
    ]);
    expect(told(pool("shared", "best-effort"))).toEqual([]);
  });
});
