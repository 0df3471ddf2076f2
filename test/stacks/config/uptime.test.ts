import { describe, expect, it } from "vitest";
import { problemsWith, rightEnvironment } from "./samples";

const gpu = rightEnvironment.pools.gpu;
const withUptime = (uptime: object, cluster: object = rightEnvironment.cluster) => ({
  cluster,
  pools: { ...rightEnvironment.pools, gpu: { ...gpu, uptime } },
});

describe("pools.<name>.uptime", () => {
  it.each([[{}], [{ node: 0.9985 }], [{ node: 0.9999, zone: 0.99995, region: 1 }], [{ zones: 3 }]])(
    "may be %j",
    (uptime) => {
      expect(problemsWith(withUptime(uptime))).toEqual([]);
    },
  );

  it.each([
    [{ node: 0.99999 }, "node", "node ≤ zone ≤ region", "rite 0.9995 or less, or state zone too"],
    [{ region: 0.99 }, "region", "zone 0.9995, region 0.99", "rite 0.9995 or more, or state zone too"],
    [{ zones: 3 }, "zones", "only for nodes that are not made here", "availabilityDomains of the pool counts"],
    [{ node: 0.1 }, "node", "0.5", ""],
  ])("refuses %j", (uptime, key, allowed, fix) => {
    const made = { kind: "oci", provision: "create" };
    const problems = problemsWith(withUptime(uptime, key === "zones" ? made : undefined));
    const found = problems.find(({ path }) => path === `pools.gpu.uptime.${key}`);
    expect(found?.message).toContain(allowed);
    expect(found?.message).toContain(fix);
  });
});
