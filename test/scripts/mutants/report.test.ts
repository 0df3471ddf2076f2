import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import equivalents from "../../../scripts/mutants/equivalent.json";
import { apart } from "../../../scripts/mutants/judge";
import { type Mutant, mutantsOf } from "../../../scripts/mutants/mutant";
import { type Equivalent, type Judged, reportText, share } from "../../../scripts/mutants/report";
import { Results, type Verdict } from "../../../scripts/mutants/results";
import { useFolder } from "../../cli/run";

/** The mutant of a text that has one. */
function onlyMutantOf(text: string): Mutant {
  const [mutant, ...others] = mutantsOf("planner/x.ts", text);
  if (!mutant || others.length > 0) {
    throw new Error(`not one mutant: ${text}`);
  }
  return mutant;
}

const mutant = onlyMutantOf("const a = b === c;\n");

function judged(room: string, verdict: Verdict, equivalent?: string): Judged {
  return { room, mutant, verdict, ...(equivalent && { equivalent }) };
}

const all = [
  judged("planner", { outcome: "killed", by: "test/a.test.ts" }),
  judged("planner", { outcome: "survived" }),
  judged("planner", { outcome: "survived" }, "the same by symmetry"),
  judged("stacks", { outcome: "killed", by: "test/b.test.ts" }),
  judged("stacks", { outcome: "not in tree" }),
  judged("stacks", { outcome: "type error" }),
];

describe("the report", () => {
  test("leaves equivalent mutants, and those that a tree does not have, out of the share", () => {
    expect(share(all)).toBe("2 of 3 (67 %)");
    expect(share([])).toBe("0 of 0");
  });

  test("has shares by room, every mutant, and survivors by themselves", () => {
    const text = reportText({ title: "T", judged: all, refusedByTypes: 4, failingClean: ["test/flaky.test.ts"] });
    expect(text).toContain("Killed: 2 of 3 (67 %). Refused by the type check, and not counted: 4.");
    expect(text).toContain("| planner | 1 of 2 (50 %) |\n| stacks | 1 of 1 (100 %) |");
    expect(text).toContain(
      `| comparison | planner/x.ts:1 (${mutant.id}) | \`===\` → \`!==\` | killed by test/a.test.ts |`,
    );
    expect(text).toContain("Survivors: 1\n- planner/x.ts:1");
    expect(text).toContain("kill none: test/flaky.test.ts");
  });
});

describe("results", () => {
  const folder = useFolder();

  test("are read again from their file, the last word first, also after a line that was cut off", () => {
    const file = join(folder, "deep", "results.jsonl");
    const results = new Results(file);
    results.add({ mutant: "a", verdict: { outcome: "passed nearest" } });
    results.add({ mutants: ["a", "b"], pass: ["t"] });
    results.add({ mutants: ["a"], pass: ["u"] });
    results.add({ mutant: "a", verdict: { outcome: "survived" } });
    results.add({ test: "t", passes: false });
    appendFileSync(file, '{"mutant":"b","verd');
    const again = new Results(file);
    expect(again.verdictOn("a")).toEqual({ outcome: "survived" });
    expect(again.verdictOn("b")).toBeUndefined();
    expect([again.passedBy("a"), again.passedBy("b")]).toEqual([new Set(["t", "u"]), new Set(["t"])]);
    expect([again.passesClean("t"), again.passesClean("u")]).toEqual([false, undefined]);
    expect(again.failingClean()).toEqual(["t"]);
    again.add({ mutant: "c", verdict: { outcome: "survived" } });
    expect(new Results(file).verdictOn("c")).toEqual({ outcome: "survived" });
  });
});

test("mutants that change the same characters do not come into one checkout", () => {
  const elsewhere = { ...mutant, file: "planner/y.ts" };
  const behind = { ...mutant, start: mutant.end + 1, end: mutant.end + 4 };
  expect(apart([mutant, { ...mutant, after: "==" }, elsewhere, behind])).toEqual([
    [mutant, elsewhere, behind],
    [{ ...mutant, after: "==" }],
  ]);
});

test("every equivalent mutant has a reason, and is listed once", () => {
  const listed = equivalents as readonly Equivalent[];
  expect(listed.filter(({ because, id, file }) => because.length < 20 || !/^[0-9a-f]{12}$/.test(id) || !file)).toEqual(
    [],
  );
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
});
