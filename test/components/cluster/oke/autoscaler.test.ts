import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { autoscalerSettings, isAutoscaled, nodeTemplateTags } from "../../../../components/cluster/oke/autoscaler";
import { resolved } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";

const SIZES = fc.record({ minNodes: fc.nat({ max: 20 }), spare: fc.nat({ max: 5 }) });

describe("autoscalerSettings", () => {
  it("names each pool that may grow once, with its limits, and no other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(SIZES, { maxLength: 6 }), async (sizes) => {
        const pools = sizes.map(({ minNodes, spare }, i) =>
          okePool("VM.GPU.A10.1", { name: `p${i}`, minNodes, maxNodes: minNodes + spare }),
        );
        const ids = Object.fromEntries(pools.map(({ plan }) => [plan.name, `ocid1.${plan.name}`]));
        const nodes = (await resolved(autoscalerSettings(pools, ids).nodes ?? "")).split(", ").filter(Boolean);
        expect(nodes).toEqual(
          pools.filter(isAutoscaled).map(({ plan }) => `${plan.minNodes}:${plan.maxNodes}:ocid1.${plan.name}`),
        );
      }),
    );
  });

  it("gives machines without a hypervisor the time that they take to boot", () => {
    const metal = [
      okePool("BM.GPU.A10.4", { name: "a", maxNodes: 2 }),
      okePool("VM.GPU.A10.1", { name: "b", maxNodes: 2 }),
    ];
    expect(autoscalerSettings(metal, { a: "x", b: "y" }).maxNodeProvisionTime).toBe("30m");
    // A pool that keeps its size waits for nobody.
    const still = [okePool("BM.GPU.A10.4", { name: "a" }), okePool("VM.GPU.A10.1", { name: "b", maxNodes: 2 })];
    expect(autoscalerSettings(still, { b: "y" }).maxNodeProvisionTime).toBe("15m");
  });

  it("runs on GPU nodes only where there are no others", () => {
    const gpus = okePool("VM.GPU.A10.1", { name: "a", maxNodes: 2 });
    expect(autoscalerSettings([gpus, okePool("VM.Standard.E5.Flex")], { a: "x" })).not.toHaveProperty("tolerations");
    expect(autoscalerSettings([gpus], { a: "x" })).toHaveProperty("tolerations");
  });

  it("refuses a pool that nobody made", () => {
    expect(() => autoscalerSettings([okePool("VM.GPU.A10.1", { name: "a", maxNodes: 2 })], {})).toThrow(
      'node pool "a" has no OCID',
    );
  });
});

describe("nodeTemplateTags", () => {
  it("tell of a pool of no nodes what pods ask of one", () => {
    expect(nodeTemplateTags(okePool("BM.GPU.MI300X.8"))).toEqual({
      "cluster-autoscaler/node-ephemeral-storage": "85Gi",
      "cluster-autoscaler/node-template/taint/0": "amd.com/gpu=present:NoSchedule",
      "cluster-autoscaler/node-template/taint/1": "dedicated=inference:NoSchedule",
      "cluster-autoscaler/node-template/resources/gpu": "amd.com/gpu=8",
    });
    expect(nodeTemplateTags(okePool("VM.Standard.E5.Flex", {}, { bootVolumeGiB: 51 }))).toEqual({
      "cluster-autoscaler/node-ephemeral-storage": "43Gi",
    });
    // 61.44 TB of disks, of which the file system takes a 50th and the kubelet keeps a seventh free.
    expect(nodeTemplateTags(okePool("BM.GPU.H100.8", { localDisks: true }))).toMatchObject({
      "cluster-autoscaler/node-ephemeral-storage": "47664Gi",
    });
  });
});
