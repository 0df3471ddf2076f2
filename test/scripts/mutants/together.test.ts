import { describe, expect, test } from "vitest";
import { type Kill, killsTogether, type Trial } from "../../../scripts/mutants/together";

/** A test fails where one of its sets of mutants is there as a whole. */
type Failures = Readonly<Record<string, readonly (readonly string[])[]>>;

async function outcome(
  failures: Failures,
  {
    mutants,
    flaky = [],
    imports = {},
  }: {
    readonly mutants: readonly string[];
    readonly flaky?: readonly string[];
    readonly imports?: Readonly<Record<string, readonly string[]>>;
  },
) {
  let runs = 0;
  const trial: Trial<string> = {
    failing: (some, tests) => {
      runs += 1;
      const isFailing = (name: string) => failures[name]?.some((set) => set.every((one) => some.includes(one)));
      return Promise.resolve(tests.filter((name) => flaky.includes(name) || isFailing(name)));
    },
    passesClean: (name) => Promise.resolve(!flaky.includes(name)),
    distance: (mutant, name) => (imports[name]?.includes(mutant) ? 1 : undefined),
  };
  const kills: Kill<string>[] = [];
  for await (const kill of killsTogether(mutants, [...Object.keys(failures), ...flaky], trial)) {
    kills.push(kill);
  }
  return { kills, runs };
}

const mutants = ["a", "b", "c", "d", "e", "f", "g"];

describe("mutants that run together", () => {
  test("are found by halves, each with the test that it fails", async () => {
    const { kills } = await outcome({ one: [["c"]], two: [["g"]], three: [] }, { mutants });
    expect(kills).toEqual([
      { mutant: "c", by: "one" },
      { mutant: "g", by: "two" },
    ]);
  });

  test("are all found where one test sees several of them", async () => {
    const { kills } = await outcome({ one: [["b"], ["c"], ["f"]] }, { mutants });
    expect(kills.map(({ mutant }) => mutant).sort()).toEqual(["b", "c", "f"]);
  });

  test("are not killed by a test that fails without them, or with several alone", async () => {
    expect((await outcome({ one: [["a", "g"]] }, { mutants, flaky: ["two"] })).kills).toEqual([]);
  });

  test("that break many tests cost a search, not one for each test", async () => {
    const names = Array.from({ length: 100 }, (_, i) => `test ${i}`);
    const failures = Object.fromEntries(names.map((name) => [name, [["d"]]]));
    const imports = Object.fromEntries(names.map((name) => [name, ["d"]]));
    const { kills, runs } = await outcome(failures, { mutants, imports });
    expect(kills).toEqual([{ mutant: "d", by: "test 0" }]);
    expect(runs).toBeLessThan(8);
  });
});
