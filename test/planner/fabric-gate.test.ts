import { describe, expect, it } from "vitest";
import { DEVICE_ACCESS, fabricOf, leastBusGBps } from "../../catalog/fabrics";
import { findShape, shapes } from "../../catalog/shapes";
import { poolFabric } from "../../planner/fabric";
import { fabricGateOf, whyUngated } from "../../planner/fabric-gate";

function pool(shapeName: string, minNodes: number, access: "virtual-functions" | "efa" | "host-network") {
  const shape = findShape(shapeName);
  if (!shape) {
    throw new Error(`no ${shapeName}`);
  }
  return { shape, minNodes, fabric: poolFabric({ shape, rdmaAccess: access }) };
}

describe("the gate of a pool", () => {
  it("holds its nodes to nine tenths of what is published of their shape, whichever way pods reach the network", () => {
    for (const access of ["virtual-functions", "host-network"] as const) {
      expect(fabricGateOf(pool("BM.GPU.H100.8", 2, access))).toEqual({ minBusGBps: 396, image: "nccl-tests" });
    }
    expect(fabricGateOf(pool("BM.GPU.MI300X.8", 4, "virtual-functions"))).toEqual({
      minBusGBps: 315,
      image: "rccl-tests",
    });
    expect(fabricGateOf(pool("p5.48xlarge", 2, "efa"))).toEqual({ minBusGBps: 270, image: "nccl-tests-efa" });
  });

  it("is none where there is no RDMA network, and nothing is to be said of it", () => {
    const none = { ...pool("BM.GPU.H100.8", 2, "virtual-functions"), fabric: undefined };
    expect(fabricGateOf(none)).toBeUndefined();
    expect(whyUngated(none)).toBeUndefined();
  });

  it("is none for a single node, nor where nobody has published a figure, and both are said", () => {
    const single = pool("BM.GPU.H100.8", 1, "virtual-functions");
    expect(fabricGateOf(single)).toBeUndefined();
    expect(whyUngated(single)).toBe("it has 1 node at first, and a trial takes two");
    const unknown = pool("p4d.24xlarge", 2, "efa");
    expect(fabricGateOf(unknown)).toBeUndefined();
    expect(whyUngated(unknown)).toContain("no figure is published for an all-reduce over two p4d.24xlarge");
  });

  it("is there or explained for every shape with an RDMA network", () => {
    for (const shape of shapes) {
      const known = fabricOf(shape.name);
      if (known) {
        const gated = { shape, minNodes: 2, fabric: poolFabric({ shape, rdmaAccess: DEVICE_ACCESS[known.kind] }) };
        expect(fabricGateOf(gated) === undefined, shape.name).toBe(whyUngated(gated) !== undefined);
        expect(fabricGateOf(gated)?.minBusGBps, shape.name).toBe(leastBusGBps(known));
      }
    }
  });
});
