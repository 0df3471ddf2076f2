import { expect, it } from "vitest";
import type { PoolConfig } from "../../stacks/config";
import { okePools } from "../../stacks/oke-pools";
import { okePool } from "../harness/oke-pools";

const IMAGE = "ocid1.image.oc1.eu-frankfurt-1.i";

/** What is made of a pool. */
function made(shape: string, config: Partial<PoolConfig>, confidential = false) {
  const { plan } = okePool(shape, { name: "pool", confidential });
  const [pool] = okePools({ pool: config as PoolConfig }, { pools: [plan], models: [] });
  return pool;
}

it("takes what no node pool has from elsewhere: a cluster network, and encrypted memory", () => {
  expect(made("BM.GPU.H100.8", {})).toMatchObject({ madeBy: "node-pool", computeCluster: false });
  expect(made("BM.GPU.H100.8", { rdma: { mode: "managed" } })).toMatchObject({
    madeBy: "node-pool",
    computeCluster: true,
  });
  expect(made("BM.GPU.H100.8", { rdma: { mode: "cluster-network" }, image: IMAGE })).toMatchObject({
    madeBy: "cluster-network",
    computeCluster: false,
    image: IMAGE,
  });
  expect(made("VM.Standard.E5.Flex", { confidential: true, image: IMAGE }, true)).toMatchObject({
    madeBy: "instance-pool",
    image: IMAGE,
  });
});
