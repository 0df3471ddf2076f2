import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { planDeployment } from "../../planner/plan";
import { POOL_LABEL } from "../../planner/pool-labels";
import type { PoolRequest } from "../../planner/request";
import { overlappingPools } from "../../planner/selectors";
import { taintsOf } from "../../planner/taints";
import { environmentOf, modelOf, poolOf, shapeNamed } from "./fixtures";

const SHAPE = "node.kubernetes.io/instance-type";
const AMD = shapeNamed("BM.GPU.MI300X.8");

function pool(name: string, own: Record<string, string>, changes: Partial<PoolRequest> = {}): PoolRequest {
  const labels = { [POOL_LABEL]: name, ...own };
  return poolOf("VM.GPU.A10.1", 1, { name, labels, selector: { [SHAPE]: "VM.GPU.A10.1", ...own }, ...changes });
}

function cpuPool(name: string, selector: Record<string, string>, changes: Partial<PoolRequest> = {}): PoolRequest {
  return poolOf("m7i.2xlarge", 1, { name, selector, labels: { [POOL_LABEL]: name, ...selector }, ...changes });
}

describe("pools that the scheduler cannot keep apart", () => {
  it("are refused in a plan, with the labels that would tell them apart", () => {
    const pools = [pool("red", {}, { dedicatedTo: ["a"] }), pool("blue", {}, { dedicatedTo: ["b"] })];
    const models = ["a", "b"].map((name) => modelOf("llama-3.2-3b-instruct", { name, concurrency: 4 }));
    const { problems } = planDeployment(environmentOf(pools, models));
    expect(problems).toEqual([
      {
        severity: "mandatory",
        rule: "pools-overlap",
        subject: "pools.blue",
        message: [
          'the scheduler cannot keep the pool "blue" apart from "red": "red" (dedicated to a) takes nodes with node.kubernetes.io/instance-type=VM.GPU.A10.1; "blue" (dedicated to b) takes nodes with node.kubernetes.io/instance-type=VM.GPU.A10.1. A node can be all of that, and no taint parts them, as GPU pods tolerate those of all: pods of one pool run on another, and neither dedicatedTo nor the GPUs and costs that are planned for each pool hold. Give each pool a selector label, and put it on its nodes:',
          "- pools.red.labels: {inference-stacks.io/pool: red}",
          "- pools.blue.labels: {inference-stacks.io/pool: blue}",
          "or make one pool of them.",
        ].join("\n"),
      },
    ]);
  });

  it("are told apart without taking the name that a third has for a label", () => {
    const pools = ["b", "a", "a"].map((label, i) => cpuPool("abc"[i] ?? "", { [POOL_LABEL]: label }));
    const [problem, ...more] = overlappingPools(pools);
    expect([problem?.subject, more]).toEqual(["pools.c", []]);
    const lines = problem?.message.match(/^- pools\.\w/gm);
    expect(lines).toEqual(["- pools.b", "- pools.c", "- pools.a"]);
  });

  it("are told apart in YAML that reads labels as the texts that they are", () => {
    const own = { team: "1e3", on: "no", plain: "red" };
    const [problem] = overlappingPools([cpuPool("a", own), cpuPool("b", own)]);
    const labels = problem?.message.match(/\{.*\}/g)?.map((text) => parse(text)) ?? [];
    expect(labels).toEqual(["a", "b"].map((name) => ({ [POOL_LABEL]: name, ...own })));
  });

  it("are refused without models: the nodes of a pool attract the pods of the other", () => {
    const { problems } = planDeployment(environmentOf([pool("red", {}), pool("blue", {})], []));
    expect(problems.map(({ rule }) => rule)).toEqual(["pools-overlap"]);
  });

  it.each([
    ["labels of their own under one key", [pool("red", { team: "red" }), pool("blue", { team: "blue" })]],
    ["another shape", [pool("red", {}), poolOf("BM.GPU.A10.4", 1, { selector: { [SHAPE]: "BM.GPU.A10.4" } })]],
    ["cards of another vendor", [pool("red", {}), pool("blue", {}, { shape: AMD })]],
    ["CPU nodes, which have no GPU for pods that ask for one", [pool("red", {}), cpuPool("cpu", {})]],
    ["a label that the platform's nodes lack", [cpuPool("system", {}, { role: "system" }), cpuPool("cpu", { a: "1" })]],
    ["pools for the platform alone", ["a", "b"].map((name) => cpuPool(name, {}, { role: "system" }))],
    ["one pool", [pool("red", {})]],
  ])("are not those with %s", (_, pools) => {
    expect(overlappingPools(pools)).toEqual([]);
  });

  it.each([
    ["a label of one of them alone", [pool("red", {}), pool("blue", { team: "blue" })]],
    ["a label that every object of the language has", [pool("red", { constructor: "red" }), pool("blue", {})]],
    ["labels under different keys", [pool("red", { team: "red" }), pool("blue", { project: "blue" })]],
    ["no label at all", [cpuPool("a", {}), cpuPool("b", {})]],
    ["the same label of the user's", [pool("red", { [POOL_LABEL]: "x" }), pool("blue", { [POOL_LABEL]: "x" })]],
    ["the labels of the platform's nodes", [cpuPool("system", { a: "1" }, { role: "system" }), cpuPool("cpu", {})]],
    ["GPUs like those where the platform runs", [pool("red", {}, { role: "system" }), pool("blue", {})]],
  ])("are those with %s", (_, pools) => {
    expect(overlappingPools(pools)).toHaveLength(1);
  });

  it("are all named at once, each with those before it, and no more of them than one reads", () => {
    const pools = Array.from({ length: 200 }, (_, i) => pool(`p${i}`, {}));
    const problems = overlappingPools(pools);
    expect(problems.map(({ subject }) => subject)).toEqual(pools.slice(1).map(({ name }) => `pools.${name}`));
    expect(problems.at(-1)?.message).toContain('"p199" apart from "p0", "p1", "p2", "p3", 195 more: ');
    expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThan(1500);
  });

  it("keep the labels that they have in the line to write, quoted where YAML would read something else", () => {
    const labels = { team: "red", "1": "true", c: "", d: "0x1", e: "f" };
    const [problem] = overlappingPools([pool("on", labels), pool("7", {})]);
    expect(problem?.message.split("\n").slice(1, 3)).toEqual([
      '- pools.on.labels: {inference-stacks.io/pool: "on", "1": "true", team: red, c: "", …}',
      '- pools.7.labels: {inference-stacks.io/pool: "7"}',
    ]);
  });
});

const shapes = ["VM.GPU.A10.1", "BM.GPU.MI300X.8", "m7i.2xlarge"].map(shapeNamed);
const values = [undefined, "p0", "p1"];

/** Pools `p0`, `p1`, … of three kinds of machine, labelled at random: by the pool's own key too, with each other's names. */
const somePools = fc
  .array(
    fc.record({
      shape: fc.constantFrom(...shapes),
      isSystem: fc.boolean(),
      selector: fc.dictionary(fc.constantFrom("a", "b", POOL_LABEL), fc.constantFrom("p0", "p1"), { maxKeys: 3 }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((rows) =>
    rows.map(({ shape, isSystem, selector }, i): PoolRequest => {
      const role = isSystem ? "system" : shape.gpu ? "gpu" : "cpu";
      const labels = { [POOL_LABEL]: `p${i}`, ...selector };
      return poolOf(shape.name, 1, { name: `p${i}`, role, selector, labels });
    }),
  );

/** Every way to label a node. */
const labelled = values.flatMap((a) => values.flatMap((b) => values.map((own) => ({ a, b, [POOL_LABEL]: own }))));

type NodeLabels = Readonly<Record<string, string | undefined>>;

function selects({ selector }: PoolRequest, node: NodeLabels): boolean {
  return Object.entries(selector).every(([key, value]) => node[key] === value);
}

/** Nodes that are the pool's, whatever else is on them; of the platform's, those with what is said of them alone. */
function nodesOf(pool: PoolRequest): readonly NodeLabels[] {
  return pool.role === "system" ? [pool.selector] : labelled.filter((node) => selects(pool, node));
}

/** The scheduler's filters for a pod of one pool on the nodes of another: resources, taints, node selector. */
function landsOn(from: PoolRequest, to: PoolRequest): boolean {
  const hasDevice = !from.shape.gpu || from.shape.gpu.resource === to.shape.gpu?.resource;
  const tolerated = taintsOf(from.shape).map(({ key }) => key);
  const mayEnter = taintsOf(to.shape).every(({ key }) => tolerated.includes(key));
  return from.role !== "system" && hasDevice && mayEnter && nodesOf(to).some((node) => selects(from, node));
}

describe("over any pools", () => {
  it("refuses exactly those whose pods a node of another may take", () => {
    fc.assert(
      fc.property(somePools, (pools) => {
        const expected = pools.filter((pool, i) =>
          pools.slice(0, i).some((other) => landsOn(pool, other) || landsOn(other, pool)),
        );
        expect(overlappingPools(pools).map(({ subject }) => subject)).toEqual(
          expected.map(({ name }) => `pools.${name}`),
        );
      }),
    );
  });

  it("refuses nothing more once the lines of the messages are written into the configuration", () => {
    fc.assert(
      fc.property(somePools, (pools) => {
        const lines = overlappingPools(pools).flatMap(({ message }) =>
          message.split("\n").flatMap((line) => /^- pools\.(\S+)\.labels: (\{.*\})$/.exec(line)?.slice(1) ?? []),
        );
        const written = new Map<string, Record<string, string>>();
        for (let i = 0; i < lines.length; i += 2) {
          written.set(String(lines[i]), parse(String(lines[i + 1])));
        }
        const mended = pools.map((pool) => {
          const own = written.get(pool.name);
          return own ? { ...pool, selector: { ...pool.selector, ...own }, labels: own } : pool;
        });
        expect(overlappingPools(mended)).toEqual([]);
      }),
    );
  });
});
