import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ImportGraph } from "../../../scripts/mutants/import-graph";
import { useFolder } from "../../cli/run";

const graph = new ImportGraph([
  ["planner/b.ts", "planner/a.ts", false],
  ["planner/c.ts", "planner/b.ts", false],
  ["planner/t.ts", "planner/a.ts", true],
  ["test/planner/a.test.ts", "planner/b.ts", false],
  ["test/planner/near.test.ts", "planner/a.ts", false],
  ["test/cli/near.test.ts", "planner/a.ts", false],
  ["test/cli/far.test.ts", "planner/c.ts", false],
  ["test/cli/type.test.ts", "planner/t.ts", false],
  // A circle, which planner/a.ts is in.
  ["planner/a.ts", "planner/c.ts", false],
]);
const tests = ["far", "near", "type", "other"].map((name) => `test/cli/${name}.test.ts`);

describe("nearest tests of a file", () => {
  test("are the one of its name, then by imports, then by folders", () => {
    const all = [...tests, "test/planner/near.test.ts", "test/planner/a.test.ts"];
    expect(graph.nearestTests("planner/a.ts", all)).toEqual([
      "test/planner/a.test.ts",
      "test/planner/near.test.ts",
      "test/cli/near.test.ts",
      "test/cli/far.test.ts",
    ]);
  });

  test("are counted by the shortest way where imports go in a circle", () => {
    const distances = graph.distancesTo("planner/a.ts");
    expect(["a", "b", "c"].map((name) => distances.get(`planner/${name}.ts`))).toEqual([0, 1, 2]);
  });

  test("are none through types alone, which are gone when the program runs", () => {
    expect(graph.distancesTo("planner/a.ts").has("test/cli/type.test.ts")).toBe(false);
    expect(graph.importersOf("planner/a.ts")).toContain("planner/t.ts");
  });
});

describe("the graph of a checkout", () => {
  const root = useFolder();
  const files = {
    "cli/main.ts": 'import { plan } from "../planner/plan";',
    "components/node/registration.ts": 'const files = ["registrar.ts"];',
    "components/node/scripts/registrar.ts": "export {};",
    "node_modules/a/b.ts": 'import "../../planner/plan";',
    "planner/plan.ts": 'export { type A } from "./types";\nexport const plan = 1;',
    "planner/types.ts": "export interface A {}",
    "test/cli/main.test.ts": 'start("cli", "run.mjs");',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const own = ImportGraph.of(root);

  test("leads from a file to tests that start the command line, which loads it", () => {
    expect([...own.distancesTo("planner/plan.ts")]).toEqual([
      ["planner/plan.ts", 0],
      ["cli/main.ts", 1],
      ["test/cli/main.test.ts", 2],
    ]);
  });

  test("has scripts of pods for the component that names them", () => {
    expect(own.distancesTo("components/node/scripts/registrar.ts").get("components/node/registration.ts")).toBe(1);
  });
});
