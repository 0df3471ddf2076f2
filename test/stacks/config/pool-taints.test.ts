import { describe, expect, it } from "vitest";
import { onA10, planOf, useFolder } from "../../cli/run";
import { problemsWith } from "./samples";

const folder = useFolder();
const SKU = { key: "sku", value: "gpu" };

describe("taints of nodes that exist", () => {
  it("are tolerated by the pods of their pool", async () => {
    const system = { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 };
    const pools = {
      system,
      gpu: { shape: "VM.GPU.A10.2", maxNodes: 4, taints: [SKU, { key: "team", effect: "NoExecute" }] },
    };
    const { out } = await planOf(folder, onA10({}, { pools }), "--json");
    const { models } = JSON.parse(out) as { models: { tolerations: object[] }[] };
    expect(models[0]?.tolerations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: "sku", value: "gpu", effect: "NoSchedule" }),
        expect.objectContaining({ key: "team", effect: "NoExecute" }),
      ]),
    );
  });

  it("are none of nodes that are made here, nor of the platform's, with or without the role", () => {
    const pathsWith = (more: object, provision: "create" | "existing" = "existing") =>
      problemsWith({
        cluster: { kind: "local", provision },
        pools: { system: { node: { vcpus: 8, memoryGiB: 32 }, ...more } },
      }).map(({ path }) => path);
    expect(pathsWith({ taints: [SKU] })).toContain("pools.system.taints");
    expect(pathsWith({ taints: [SKU], role: "system" })).toContain("pools.system.taints");
    expect(pathsWith({ taints: [SKU], role: "cpu" })).not.toContain("pools.system.taints");
    expect(pathsWith({ taints: [{ ...SKU, effect: "PreferNoSchedule" }] })).not.toContain("pools.system.taints");
    expect(pathsWith({ taints: [SKU], role: "cpu" }, "create")).toContain("pools.system.taints");
    expect(pathsWith({})).not.toContain("pools.system.taints");
  });
});
