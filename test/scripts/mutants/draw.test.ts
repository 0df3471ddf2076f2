import { describe, expect, test } from "vitest";
import { drawn, quotas } from "../../../scripts/mutants/draw";
import { type Mutant, mutantsOf } from "../../../scripts/mutants/mutant";
import { parseOptions, SEED_OF_RECORD } from "../../../scripts/mutants/options";

const text = Array.from({ length: 20 }, (_, i) => `if (a${i} < 1) { f({ a: true }, [b, c]); }`).join("\n");
const mutants = mutantsOf("planner/x.ts", text);
const ids = (of: Iterable<Mutant>) => [...of].map(({ id }) => id);

describe("a draw", () => {
  test("is the same for the same seed and room, and another for others", () => {
    const first = ids(drawn(mutants, 7, "planner"));
    expect(ids(drawn(mutants, 7, "planner"))).toEqual(first);
    expect(ids(drawn(mutants, 8, "planner"))).not.toEqual(first);
    expect(ids(drawn(mutants, 7, "stacks"))).not.toEqual(first);
  });

  test("has every mutant once", () => {
    expect(ids(drawn(mutants, 7, "planner")).sort()).toEqual(ids(mutants).sort());
  });

  test("takes operators as often as each other, however many mutants they have", () => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= 600; seed++) {
      const [{ operator } = { operator: "" }] = drawn(mutants, seed, "planner");
      counts.set(operator, (counts.get(operator) ?? 0) + 1);
    }
    const operators = new Set(mutants.map(({ operator }) => operator));
    expect(counts.size).toBe(operators.size);
    for (const [operator, count] of counts) {
      expect(count, operator).toBeGreaterThan((0.5 * 600) / operators.size);
    }
  });
});

describe("quotas of rooms", () => {
  const lines = new Map([
    ["large", 8000],
    ["middle", 1900],
    ["small", 100],
  ]);

  test("go by lines of code, and small rooms get three", () => {
    expect(quotas(lines, 100)).toEqual(
      new Map([
        ["large", 78],
        ["middle", 19],
        ["small", 3],
      ]),
    );
  });

  test("have the sum that was asked for, whatever it is", () => {
    for (let count = 1; count <= 120; count++) {
      const found = quotas(lines, count);
      expect([...found.values()].reduce((sum, of) => sum + of, 0)).toBe(count);
    }
  });

  test("go by lines alone where there are too few mutants", () => {
    expect(quotas(lines, 5)).toEqual(
      new Map([
        ["large", 4],
        ["middle", 1],
        ["small", 0],
      ]),
    );
  });
});

describe("options", () => {
  test("are the seed of record and HEAD's own mutants by default", () => {
    expect(SEED_OF_RECORD).toBe(20261126);
    expect(parseOptions([])).toMatchObject({ seed: 20261126, count: 100, tree: "HEAD", drawnFrom: "HEAD" });
  });

  test("draw from another commit than the tree's", () => {
    expect(parseOptions(["--tree", "b", "--drawn-from", "a", "--seed", "1"])).toMatchObject({
      seed: 1,
      tree: "b",
      drawnFrom: "a",
    });
  });

  test.each([
    ["--count", "0"],
    ["--seed", "1e3"],
    ["--workers", "two"],
    ["--sead", "1"],
  ])("refuse %s %s", (...argv) => {
    expect(() => parseOptions(argv)).toThrow(argv[0]);
  });

  test("print help", () => {
    expect(parseOptions(["-h"])).toBeUndefined();
  });
});
