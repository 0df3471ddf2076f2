import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onPremNode } from "../../catalog/shapes";
import { LABEL_PREFIX } from "../../names/labels";
import { cloudLabels, POOL_LABEL, poolLabels } from "../../planner/pool-labels";
import { allTolerated, taintsOf } from "../../planner/taints";
import { shapeNamed } from "./fixtures";

const host = { vcpus: 32, memoryGiB: 128, localNvmeGB: 0, networkGbps: 10 };
const OWN_GPU = onPremNode({ ...host, card: "rtx-4090", gpuCount: 2 });
const OWN_CPU = onPremNode({ ...host, gpuCount: 0 });
const A10 = shapeNamed("VM.GPU.A10.1");
const MACHINE = { "node.kubernetes.io/instance-type": "VM.GPU.A10.1" };

describe("labels of a pool", () => {
  it("name the pool, under a key of ours", () => {
    expect(POOL_LABEL).toBe(`${LABEL_PREFIX}/pool`);
    expect(poolLabels("gpu", A10).labels).toEqual({ [POOL_LABEL]: "gpu" });
  });

  it.each([
    ["a cloud's nodes by their machine", A10, {}, MACHINE],
    ["and by what else is said of them", A10, { [POOL_LABEL]: "red" }, { ...MACHINE, [POOL_LABEL]: "red" }],
    ["GPU machines of one's own by the pool", OWN_GPU, {}, { [POOL_LABEL]: "gpu" }],
    ["or as their owner calls it", OWN_GPU, { [POOL_LABEL]: "red" }, { [POOL_LABEL]: "red" }],
    ["other machines of one's own by what is said of them alone", OWN_CPU, { team: "red" }, { team: "red" }],
  ])("let pods select %s", (_, shape, own, selector) => {
    expect(poolLabels("gpu", shape, own).selector).toEqual(selector);
  });

  it("are on every node with those of its cloud, so that each has what its pods ask for", () => {
    const keys = fc.constantFrom(POOL_LABEL, "team", "node.kubernetes.io/instance-type");
    fc.assert(
      fc.property(fc.constantFrom(A10, OWN_GPU, OWN_CPU), fc.dictionary(keys, fc.string()), (shape, own) => {
        const { labels, selector } = poolLabels("gpu", shape, own);
        expect({ ...cloudLabels(shape), ...labels }).toMatchObject(selector);
      }),
    );
  });
});

describe("taints of a pool", () => {
  const other = [{ key: "amd.com/gpu", effect: "NoSchedule" }] as const;

  it("are tolerated by its pods, on GPU nodes of the same vendor alone", () => {
    expect(taintsOf(A10)).toEqual([
      { key: "nvidia.com/gpu", effect: "NoSchedule" },
      { key: "dedicated", value: "inference", effect: "NoSchedule" },
    ]);
    expect(taintsOf(OWN_CPU)).toEqual([]);
    expect([allTolerated(taintsOf(A10), taintsOf(OWN_GPU)), allTolerated(taintsOf(A10), [])]).toEqual([true, false]);
    expect([allTolerated(other, taintsOf(A10)), allTolerated([], taintsOf(A10))]).toEqual([false, true]);
  });

  it("keep nobody away where they only ask to", () => {
    expect(allTolerated([{ key: "x", effect: "PreferNoSchedule" }], [])).toBe(true);
  });

  it.each([
    [{ value: "a" }, { value: "a" }, true],
    [{ value: "a" }, {}, true],
    [{}, { value: "a" }, false],
    [{ value: "a" }, { value: "b" }, false],
  ])("with %j are tolerated by %j: %s", (taint, toleration, expected) => {
    const x = { key: "x", effect: "NoSchedule" } as const;
    expect(allTolerated([{ ...x, ...taint }], [{ ...x, ...toleration }])).toBe(expected);
    expect(allTolerated([{ ...x, ...taint }], [{ ...x, ...toleration, effect: "NoExecute" }])).toBe(false);
  });
});
