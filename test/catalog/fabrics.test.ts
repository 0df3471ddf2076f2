import { describe, expect, it } from "vitest";
import {
  type Fabric,
  fabricOf,
  leastBusGBps,
  ncclEnvironment,
  noFabricReason,
  testProgram,
} from "../../catalog/fabrics";
import table from "../../catalog/fabrics.json";
import { imageEntry } from "../../catalog/images";
import { shapes } from "../../catalog/shapes";

function fabric(shapeName: string): Fabric {
  const found = fabricOf(shapeName);
  if (found === undefined) {
    throw new Error(`${shapeName} has no fabric`);
  }
  return found;
}

describe("fabrics", () => {
  it("are known, or their absence explained, for every shape", () => {
    for (const { name } of shapes) {
      expect(fabricOf(name) === undefined, name).toBe(noFabricReason(name) !== undefined);
    }
  });

  it("are refused for a reason of their own wherever the shape does have RDMA", () => {
    const unexplained = shapes.filter(
      ({ name, rdma }) => rdma.kind !== "none" && noFabricReason(name)?.includes("no RDMA network"),
    );
    expect(unexplained).toEqual([]);
  });

  it("have as many devices as virtual functions, each once, and a test image", () => {
    for (const { name } of shapes.filter(({ rdma }) => rdma.kind === "roce")) {
      const found = fabricOf(name);
      if (found === undefined) {
        continue;
      }
      expect(new Set(found.hcas).size, name).toBe(found.hcas.length);
      expect(found.hcas.length, name).toBe(found.device.perNode);
      expect(imageEntry(found.testImage).component).toBe(found.testImage);
      expect(testProgram(found.testImage)).toMatch(/all_reduce_perf$/);
    }
  });

  it("write the H100's devices out and match them exactly on the host network", () => {
    expect(ncclEnvironment(fabric("BM.GPU.H100.8"), "host-network")).toEqual({
      NCCL_CUMEM_ENABLE: "0",
      NCCL_IB_SPLIT_DATA_ON_QPS: "0",
      NCCL_IB_GID_INDEX: "3",
      NCCL_IB_TC: "41",
      NCCL_IB_SL: "0",
      NCCL_IB_TIMEOUT: "22",
      NCCL_SOCKET_IFNAME: "eth0",
      NCCL_IGNORE_CPU_AFFINITY: "1",
      NCCL_IB_HCA:
        "=mlx5_0,mlx5_1,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7,mlx5_8,mlx5_9,mlx5_10,mlx5_12,mlx5_13,mlx5_14,mlx5_15,mlx5_16,mlx5_17",
      NCCL_NET: "IB",
    });
  });

  it("match virtual functions by their prefix", () => {
    expect(ncclEnvironment(fabric("BM.GPU.H200.8"), "virtual-functions")).toMatchObject({ NCCL_IB_HCA: "mlx5" });
    expect(fabric("BM.GPU.H200.8")).toMatchObject({
      device: { resource: "nvidia.com/rdma-vf", perNode: 8, network: "default/rdma-vf" },
      mtu: 4220,
    });
  });

  it("let NCCL's TCP connections through a pod's own interface alone, whichever shape its virtual functions are of", () => {
    for (const { name, rdma } of shapes) {
      const found = rdma.kind === "roce" ? fabricOf(name) : undefined;
      if (found) {
        expect(ncclEnvironment(found, "virtual-functions"), name).toMatchObject({ NCCL_SOCKET_IFNAME: "eth0" });
      }
    }
  });

  it("leave the socket interface and CUMEM unset on the hosts of the A100 family", () => {
    const environment = ncclEnvironment(fabric("BM.GPU.A100-v2.8"), "host-network");
    expect(environment.NCCL_IB_QPS_PER_CONNECTION).toBe("4");
    expect(environment).not.toHaveProperty("NCCL_SOCKET_IFNAME");
    expect(environment).not.toHaveProperty("NCCL_CUMEM_ENABLE");
  });

  it("take the number of EFA interfaces from the shape", () => {
    const p5 = fabric("p5.48xlarge");
    expect(p5).toMatchObject({ kind: "efa", device: { resource: "vpc.amazonaws.com/efa", perNode: 32 } });
    expect(ncclEnvironment(p5, "efa")).toMatchObject({ FI_PROVIDER: "efa", NCCL_NET: "Libfabric" });
    expect(ncclEnvironment(p5, "efa")).not.toHaveProperty("NCCL_IB_HCA");
  });

  it("say why a shape has none", () => {
    expect(noFabricReason("BM.GPU.A10.4")).toBe("BM.GPU.A10.4 has no RDMA network");
    expect(noFabricReason("BM.GPU.L40S.4")).toContain("no NCCL values");
    expect(noFabricReason("BM.GPU.X")).toContain("no machine shape");
  });

  it("say what a healthy pair of nodes reaches, for shapes that have an RDMA network alone, each once", () => {
    const figures = table.allReduce.limits.flatMap(({ shapes: names }) => names);
    expect(new Set(figures).size).toBe(figures.length);
    for (const name of figures) {
      expect(fabric(name).allReduce, name).toEqual({ busGBps: expect.any(Number), source: expect.any(String) });
    }
    expect(leastBusGBps(fabric("BM.GPU.H100.8"))).toBe(396);
    expect(leastBusGBps(fabric("BM.GPU.B4.8"))).toBe(166);
    expect(leastBusGBps(fabric("p5.48xlarge"))).toBe(270);
    // Nobody has published one.
    expect(leastBusGBps(fabric("p4d.24xlarge"))).toBeUndefined();
  });

  it("ask for no more than a shape's interfaces can carry between two nodes", () => {
    for (const { name, rdma } of shapes) {
      const least = leastBusGBps({ ...fabricOf(name) });
      if (least !== undefined) {
        // Of two nodes a tree has each byte cross once, where the bus bandwidth counts 2 (n - 1) / n times the message.
        expect(least, name).toBeLessThan((rdma.gbps / 8) * 2);
      }
    }
  });
});
