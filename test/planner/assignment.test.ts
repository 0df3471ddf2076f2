import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Assignable, type AssignablePool, cheapestAssignment } from "../../planner/assignment";
import { type Capacity, NodePacking, type PackingItem } from "../../planner/packing";
import { atNight } from "../harness/property-runs";

const room = (gpus: number): Capacity => ({ gpus, cpu: gpus, memoryGiB: gpus });
const item = (gpus: number, count = 1, nodesPerReplica = 1): PackingItem => ({
  demand: room(gpus),
  count,
  nodesPerReplica,
});
const gpuPool = (name: string, gpus: number, price: number, maxNodes: number, minNodes = 0): AssignablePool => ({
  name,
  node: room(gpus),
  minNodes,
  maxNodes,
  price,
});

const names = ["a", "b", "c"];
const anyPools = fc
  .array(
    fc.record({
      gpus: fc.constantFrom(1, 2, 4, 8),
      price: fc.constantFrom(0, 1, 1.5, 3, 10),
      maxNodes: fc.nat(4),
      minNodes: fc.nat(1),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((rows) =>
    rows.map((row, i) =>
      gpuPool(`${names[i]}`, row.gpus, row.price, row.maxNodes, Math.min(row.minNodes, row.maxNodes)),
    ),
  );

/** Models whose GPU counts are powers of two, as in `packing.test.ts`: there the fewest nodes have a closed form. */
const instance = (maxModels: number) =>
  anyPools.chain((pools) => {
    const option = (pool: AssignablePool) =>
      fc.option(
        fc.record({
          pool: fc.constant(pool.name),
          item: fc.oneof(
            fc
              .record({ halvings: fc.nat(3), count: fc.nat(3) })
              .map(({ halvings, count }) => item(Math.max(1, pool.node.gpus >> halvings), count)),
            fc.integer({ min: 1, max: 2 }).map((count) => item(pool.node.gpus, count, 2)),
          ),
        }),
        { nil: undefined },
      );
    const model = fc.tuple(...pools.map(option)).map((options) => options.filter((o) => o !== undefined));
    return fc.record({
      pools: fc.constant(pools),
      models: fc
        .array(model, { maxLength: maxModels })
        .map((list): Assignable[] => list.map((options, i) => ({ name: `model-${i}`, options }))),
    });
  });

interface Instance {
  readonly models: readonly Assignable[];
  readonly pools: readonly AssignablePool[];
}

/** The same sizes in memory, on nodes without GPUs. */
function withoutGpus({ models, pools }: Instance): Instance {
  const bare = (capacity: Capacity): Capacity => ({ ...capacity, gpus: 0 });
  return {
    pools: pools.map((pool) => ({ ...pool, node: bare(pool.node) })),
    models: models.map(({ name, options }) => ({
      name,
      options: options.map((o) => ({ ...o, item: { ...o.item, demand: bare(o.item.demand) } })),
    })),
  };
}

/** Nodes that items of such sizes need: whole nodes, and the rest by volume. */
function closedForm(pool: AssignablePool, items: readonly PackingItem[]): number {
  const alone = items.filter((i) => i.nodesPerReplica > 1).reduce((sum, i) => sum + i.nodesPerReplica * i.count, 0);
  const shared = items.filter((i) => i.nodesPerReplica === 1).reduce((sum, i) => sum + i.demand.memoryGiB * i.count, 0);
  return alone + Math.ceil(shared / pool.node.memoryGiB);
}

interface Score {
  readonly placed: number;
  readonly cost: number;
  readonly nodes: number;
}

/** Placed, cost and nodes of an assignment, counted anew; undefined when a pool is over its maximum. */
function score(
  models: readonly Assignable[],
  pools: readonly AssignablePool[],
  chosen: ReadonlyMap<string, string>,
): Score | undefined {
  let cost = 0;
  let nodes = 0;
  for (const pool of pools) {
    const items = models.flatMap((m) =>
      chosen.get(m.name) === pool.name ? m.options.filter((o) => o.pool === pool.name).map((o) => o.item) : [],
    );
    const needed = closedForm(pool, items);
    if (needed > pool.maxNodes) {
      return undefined;
    }
    nodes += needed;
    cost += Math.max(needed, pool.minNodes) * pool.price;
  }
  return { placed: chosen.size, cost, nodes };
}

function bruteForce(models: readonly Assignable[], pools: readonly AssignablePool[]): Score {
  let best: Score | undefined;
  const visit = (index: number, chosen: ReadonlyMap<string, string>): void => {
    const model = models[index];
    if (model) {
      visit(index + 1, chosen);
      for (const { pool } of model.options) {
        visit(index + 1, new Map(chosen).set(model.name, pool));
      }
      return;
    }
    const found = score(models, pools, chosen);
    if (found && (!best || (best.placed - found.placed || found.cost - best.cost || found.nodes - best.nodes) < 0)) {
      best = found;
    }
  };
  visit(0, new Map());
  if (!best) {
    throw new Error("placing nothing is always possible");
  }
  return best;
}

const solve = (models: readonly Assignable[], pools: readonly AssignablePool[]) =>
  score(models, pools, cheapestAssignment(models, pools).pools);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("cheapestAssignment", () => {
  it.each([
    ["GPUs", ({ models, pools }: Instance) => ({ models, pools })],
    ["memory alone", withoutGpus],
  ])("places as many models, as cheaply and on as few nodes, as the best of all assignments: nodes of %s", (_, on) => {
    fc.assert(
      fc.property(instance(6).map(on), ({ models, pools }) => {
        expect(solve(models, pools)).toEqual(bruteForce(models, pools));
      }),
      { numRuns: atNight(400) },
    );
  });

  it("does not depend on the order of models", () => {
    const reordered = instance(30).chain(({ models, pools }) =>
      fc.record({
        models: fc.constant(models),
        shuffled: fc.shuffledSubarray(models, { minLength: models.length, maxLength: models.length }),
        pools: fc.constant(pools),
      }),
    );
    fc.assert(
      fc.property(reordered, ({ models, shuffled, pools }) => {
        expect([...cheapestAssignment(shuffled, pools).pools].sort()).toEqual(
          [...cheapestAssignment(models, pools).pools].sort(),
        );
      }),
      { numRuns: atNight(50) },
    );
  });

  it("never exceeds maxNodes, assigns only to options, and reports the packings of what it assigned", () => {
    const memory = fc.double({ min: 0.1, max: 12, noNaN: true });
    const cpuItem = fc.record({ memoryGiB: memory, cpu: memory, count: fc.nat(4) });
    const cpuPool = fc.record({ price: fc.constantFrom(0, 1, 2.5), maxNodes: fc.nat(5), minNodes: fc.nat(2) });
    fc.assert(
      fc.property(
        fc.array(cpuPool, { minLength: 1, maxLength: 3 }),
        fc.array(fc.array(cpuItem, { minLength: 3, maxLength: 3 }), { maxLength: 12 }),
        (rows, items) => {
          const pools = rows.map(
            (row, i): AssignablePool => ({ ...row, name: `${names[i]}`, node: { gpus: 0, cpu: 16, memoryGiB: 16 } }),
          );
          const models = items.map(
            (row, i): Assignable => ({
              name: `model-${i}`,
              options: pools.flatMap((pool, p) => {
                const found = row[p];
                return found
                  ? [
                      {
                        pool: pool.name,
                        item: { demand: { gpus: 0, ...found }, count: found.count, nodesPerReplica: 1 },
                      },
                    ]
                  : [];
              }),
            }),
          );
          const { pools: chosen, packings } = cheapestAssignment(models, pools);
          for (const pool of pools) {
            const here = models
              .filter((m) => chosen.get(m.name) === pool.name)
              .flatMap((m) => m.options.filter((o) => o.pool === pool.name));
            const nodes = packings.get(pool.name)?.nodes ?? Number.NaN;
            expect(nodes).toBeLessThanOrEqual(pool.maxNodes);
            const claimed = here.reduce((sum, { item: { demand, count } }) => sum + demand.memoryGiB * count, 0);
            expect(nodes * pool.node.memoryGiB).toBeGreaterThanOrEqual(claimed - 1e-6);
          }
          for (const [name, pool] of chosen) {
            expect(models.find((m) => m.name === name)?.options.map((o) => o.pool)).toContain(pool);
          }
        },
      ),
      { numRuns: atNight(60) },
    );
  });

  it("leaves a small pool to the models that have no other, however many there are", () => {
    const pools = [gpuPool("small", 8, 1, 10), gpuPool("large", 8, 5, 1000)];
    const anywhere = (i: number): Assignable => ({
      name: `anywhere-${i}`,
      options: [
        { pool: "small", item: item(4) },
        { pool: "large", item: item(4) },
      ],
    });
    const bound = (i: number): Assignable => ({ name: `bound-${i}`, options: [{ pool: "small", item: item(1) }] });
    for (const count of [80, 320]) {
      const models = [
        ...Array.from({ length: count }, (_, i) => anywhere(i)),
        ...Array.from({ length: 80 }, (_, i) => bound(i)),
      ];
      const { pools: chosen } = cheapestAssignment(models, pools);
      expect(chosen.size).toBe(models.length);
    }
  });

  it("prefers fewer nodes where hardware is owned and costs nothing", () => {
    const pools = [gpuPool("singles", 1, 0, 100), gpuPool("eights", 8, 0, 100)];
    const models = Array.from(
      { length: 16 },
      (_, i): Assignable => ({
        name: `model-${i}`,
        options: pools.map((pool) => ({ pool: pool.name, item: item(1) })),
      }),
    );
    expect(solve(models, pools)).toEqual({ placed: 16, cost: 0, nodes: 2 });
  });

  it("takes nodes that run anyway before it starts cheaper ones", () => {
    const pools = [gpuPool("running", 8, 10, 4, 1), gpuPool("cheap", 8, 1, 4)];
    const model: Assignable = { name: "model", options: pools.map((pool) => ({ pool: pool.name, item: item(4) })) };
    expect(cheapestAssignment([model], pools).pools.get("model")).toBe("running");
  });

  describe("a model that sleeps", () => {
    /** No replica runs; the first one claims `gpus` when it wakes. */
    const sleeping = (name: string, gpus: number, ...on: string[]): Assignable => ({
      name,
      options: on.map((pool) => ({ pool, item: item(gpus, 0), wakes: item(gpus) })),
    });
    const running = (name: string, gpus: number, ...on: string[]): Assignable => ({
      name,
      options: on.map((pool) => ({ pool, item: item(gpus) })),
    });
    const chosen = (models: readonly Assignable[], pools: readonly AssignablePool[]) =>
      Object.fromEntries(cheapestAssignment(models, pools).pools);

    it.each([
      ["the cheapest node to wake on", [sleeping("s", 4, "a", "b")], { s: "b" }],
      [
        "a node that runs anyway, dear as it is",
        [running("m", 4, "a"), sleeping("s", 4, "a", "b")],
        { m: "a", s: "a" },
      ],
      ["a pool that has room for it awake", [running("m", 8, "b"), sleeping("s", 4, "b", "a")], { m: "b", s: "a" }],
    ])("takes %s", (_, models, expected) => {
      expect(chosen(models, [gpuPool("a", 8, 5, 1), gpuPool("b", 8, 2, 1)])).toEqual(expected);
    });

    it("moves a running model to the pool of a sleeping one, where both pools cost the same", () => {
      const models = [running("m", 4, "a", "b"), sleeping("s", 4, "b")];
      expect(chosen(models, [gpuPool("a", 8, 5, 1), gpuPool("b", 8, 5, 1)])).toEqual({ m: "b", s: "b" });
    });

    it("wakes for nothing where it can among more models than are searched", () => {
      const pools = [gpuPool("a", 8, 3, 1), gpuPool("b", 8, 2, 1), gpuPool("many", 8, 1, 100)];
      const others = Array.from({ length: 250 }, (_, i) => running(`other-${i}`, 1, "many"));
      const models = [sleeping("s", 6, "b", "a"), running("m", 2, "a"), ...others];
      expect(chosen(models, pools)).toMatchObject({ m: "a", s: "a" });
    });
  });

  it("leaves out a model that has no pool, or an unknown one", () => {
    const models: Assignable[] = [
      { name: "homeless", options: [] },
      { name: "lost", options: [{ pool: "nowhere", item: item(1) }] },
      { name: "placed", options: [{ pool: "a", item: item(1) }] },
    ];
    expect([...cheapestAssignment(models, [gpuPool("a", 1, 1, 1)]).pools.keys()]).toEqual(["placed"]);
  });

  it("packs in proportion to the number of models", () => {
    const pools = [gpuPool("a", 8, 80, 1000), gpuPool("b", 4, 12, 1000), gpuPool("c", 1, 2, 100)];
    const packings = (count: number) => {
      const add = vi.spyOn(NodePacking.prototype, "with");
      const models = Array.from(
        { length: count },
        (_, i): Assignable => ({
          name: `model-${i}`,
          options: pools.flatMap((pool) => {
            const gpus = 1 << (i % 4);
            return gpus <= pool.node.gpus ? [{ pool: pool.name, item: item(gpus, 1 + (i % 3)) }] : [];
          }),
        }),
      );
      expect(cheapestAssignment(models, pools).pools.size).toBe(count);
      const calls = add.mock.calls.length;
      add.mockRestore();
      return calls;
    };
    const [few, many] = [packings(250), packings(1000)];
    expect(many / few).toBeLessThanOrEqual(4.1);
    expect(many).toBeLessThanOrEqual(4 * 3 * 1000);
  });

  it("ends its search after a bounded number of steps", () => {
    const pools = ["a", "b", "c", "d"].map((name, i) => gpuPool(name, 7, 10 + i, 1000));
    const models = Array.from(
      { length: 150 },
      (_, i): Assignable => ({
        name: `model-${i}`,
        options: pools.map((pool, p) => ({ pool: pool.name, item: item(1 + ((i * 5 + p) % 7)) })),
      }),
    );
    const add = vi.spyOn(NodePacking.prototype, "with");
    expect(cheapestAssignment(models, pools).pools.size).toBe(150);
    expect(add.mock.calls.length).toBeLessThanOrEqual(20_000 + 4 * 4 * 150);
  });
});
