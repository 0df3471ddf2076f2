import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planDeployment } from "../../planner/plan";
import type { PoolRequest } from "../../planner/request";
import { overlappingPools } from "../../planner/selectors";
import { environmentOf, modelOf, poolOf } from "./fixtures";

const SHAPE = "node.kubernetes.io/instance-type";

function pool(name: string, labels: Record<string, string>, changes: Partial<PoolRequest> = {}): PoolRequest {
  return poolOf("VM.GPU.A10.1", 1, { name, labels: { [SHAPE]: "VM.GPU.A10.1", ...labels }, ...changes });
}

describe("pools that the scheduler cannot tell apart", () => {
  it("are refused, with the labels that would tell them apart", () => {
    const pools = [pool("red", {}, { dedicatedTo: ["a"] }), pool("blue", {}, { dedicatedTo: ["b"] })];
    const models = ["a", "b"].map((name) => modelOf("llama-3.2-3b-instruct", { name }));
    const { problems } = planDeployment(environmentOf(pools, models));
    expect(problems).toContainEqual({
      severity: "mandatory",
      rule: "pools-overlap",
      subject: "pools.blue",
      message: expect.stringMatching(
        /red: node.kubernetes.io\/instance-type=VM.GPU.A10.1; blue: .* pools.red.labels: \{example.com\/pool: red\} and pools.blue.labels: \{example.com\/pool: blue\}/,
      ),
    });
  });

  it.each([
    ["labels of their own under one key", [pool("red", { team: "red" }), pool("blue", { team: "blue" })]],
    ["another shape", [pool("red", {}), poolOf("BM.GPU.A10.4", 1, { labels: { [SHAPE]: "BM.GPU.A10.4" } })]],
    ["a pool for the platform", [pool("red", {}), pool("blue", {}, { role: "system" })]],
    ["a pool of CPUs", [pool("red", {}), poolOf("m7i.2xlarge", 1, { labels: {} })]],
    ["one pool", [pool("red", {})]],
  ])("are not %s", (_, pools) => {
    expect(overlappingPools(pools)).toEqual([]);
  });

  it.each([
    ["a label of one of them alone", [pool("red", {}), pool("blue", { team: "blue" })]],
    ["labels under different keys", [pool("red", { team: "red" }), pool("blue", { project: "blue" })]],
    ["no label at all", [poolOf("m7i.2xlarge", 1, { labels: {} }), poolOf("m7i.4xlarge", 1, { labels: {} })]],
  ])("are those with %s", (_, pools) => {
    expect(overlappingPools(pools)).toHaveLength(1);
  });

  it("are found in pairs, exactly where some node could belong to both", () => {
    const labels = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(labels, { minLength: 1, maxLength: 5 }), (rows) => {
        const pools = rows.map((row, i) => poolOf("VM.GPU.A10.1", 1, { name: `p${i}`, labels: row }));
        const nodes = ["1", "2"].flatMap((a) => ["1", "2"].flatMap((b) => ["1", "2"].map((c) => ({ a, b, c }))));
        const has = (node: Record<string, string>, row: Record<string, string>) =>
          Object.entries(row).every(([key, value]) => node[key] === value);
        const pairs = rows.flatMap((x, i) =>
          rows.slice(0, i).filter((y) => nodes.some((node) => has(node, x) && has(node, y))),
        );
        expect(overlappingPools(pools)).toHaveLength(pairs.length);
      }),
    );
  });
});
