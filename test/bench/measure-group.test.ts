import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { runPiped, useFolder } from "../cli/run";
import { SMALL, sizesWithin, USUAL } from "./extent";
import type { Measured } from "./group";
import { GROUPS } from "./groups";
import { main } from "./main";
import { measureGroup } from "./measure-group";

const table = { title: "runs", columns: ["name", "time"], rows: [["a", "1.00 s"]] };

async function failuresOf(measured: Measured | Error): Promise<readonly string[]> {
  const group = {
    measure: async () => {
      if (measured instanceof Error) {
        throw measured;
      }
      return measured;
    },
  };
  const { failures } = await measureGroup(
    "plan",
    async () => group,
    SMALL,
    () => undefined,
  );
  return failures;
}

describe("measureGroup", () => {
  it("passes what a group measured and found", async () => {
    const measurements = { rounds: [{ seconds: 0, bytes: 1 }], notes: ["NaN", null, true] };
    expect(await failuresOf({ tables: [table], measurements })).toEqual([]);
    expect(await failuresOf({ tables: [table], measurements, failures: ["too slow"] })).toEqual(["plan: too slow"]);
  });

  it("fails for a group that throws, or cannot be loaded", async () => {
    expect(await failuresOf(new Error("envoy is not installed"))).toEqual([
      "plan: could not be measured: envoy is not installed",
    ]);
    const { failures } = await measureGroup(
      "plan",
      () => Promise.reject(new Error("no such module")),
      SMALL,
      () => undefined,
    );
    expect(failures).toEqual(["plan: could not be measured: no such module"]);
  });

  it("fails for a group that returns no table, or one without a row", async () => {
    expect(await failuresOf({ tables: [], measurements: {} })).toEqual(["plan: measured nothing"]);
    expect(await failuresOf({ tables: [table, { ...table, title: "growth", rows: [] }], measurements: {} })).toEqual([
      'plan: nothing was measured for "growth"',
    ]);
  });

  it("names the path of each measurement that is no number", async () => {
    const measurements = { rounds: [{ seconds: 1 }, { seconds: Number.NaN }], rate: Number.POSITIVE_INFINITY };
    expect(await failuresOf({ tables: [table], measurements })).toEqual(["plan: not a number: rounds.1.seconds, rate"]);
  });

  it.each(["NaN s", "NaN ×", "1.0 / NaN", "-Infinity %", "∞"])("fails for the figure %s of a table", async (figure) => {
    expect(await failuresOf({ tables: [{ ...table, rows: [["a", figure]] }], measurements: {} })).toEqual([
      'plan: a figure of "runs" is not a number',
    ]);
  });

  it("reads words of a reason as words", async () => {
    const rows = [["expected a number, received NaN"], ["Infinity-Instruct"]];
    expect(await failuresOf({ tables: [{ ...table, rows }], measurements: {} })).toEqual([]);
  });
});

describe("sizesWithin", () => {
  it("keeps all sizes, and in a small run all but the largest", () => {
    expect(sizesWithin(USUAL, [1, 10, 100])).toEqual([1, 10, 100]);
    expect(sizesWithin(SMALL, [1, 10, 100])).toEqual([1, 10]);
  });
});

describe("npm run bench", () => {
  const folder = useFolder();
  const bench = (...argv: string[]) => runPiped(main, argv);

  it("fails for each group whose part is missing, and still measures the others", () => {
    const argv = ["--import", "tsx", "test/bench/index.ts", "--small", "node", "families"];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
      cwd: repositoryRoot(),
      encoding: "utf8",
      // Without any program, and without installed parts.
      env: { PATH: "", HOME: folder, XDG_CACHE_HOME: join(folder, "cache") },
    });
    expect(stderr).toMatch(/^node: could not be measured: envoy is not installed\. Run "npm run e2e:setup/m);
    expect(stdout).toMatch(/^Parameters of default configurations/m);
    expect(status).toBe(1);
  });

  it("names every group in its help", async () => {
    const { status, out } = await bench("--help");
    expect([...out.matchAll(/^ {2}(\w+) +\S/gm)].map(([, name]) => name)).toEqual(Object.keys(GROUPS));
    expect(status).toBe(0);
  });

  it("takes a mistake in the options for one, before anything is measured", async () => {
    for (const wrong of [["--smal"], ["speed", "--rounds", "none"], ["speed", "--json", "/nowhere/at/all.json"]]) {
      const { status, out } = await bench(...wrong);
      expect([wrong, status, out]).toEqual([wrong, 2, ""]);
    }
  });

  it("refuses a group that does not exist", async () => {
    const { status, err } = await bench("speeed");
    expect(err).toMatch(/there is no group speeed; groups: plan, engine/);
    expect(status).toBe(2);
  });
});
