import { describe, expect, test } from "vitest";
import { hasCode, mutantsOf, mutated, OPERATORS } from "../../../scripts/mutants/mutant";

/** The text as each mutant of an operator has it. */
function mutantTexts(operator: string, text: string): string[] {
  return mutantsOf("planner/x.ts", text)
    .filter((mutant) => mutant.operator === operator)
    .map((mutant) => mutated(text, [mutant]));
}

describe("operators", () => {
  const cases: readonly [operator: string, before: string, after: readonly string[]][] = [
    ["boundary", "a < b; c >= d;", ["a <= b; c >= d;", "a < b; c > d;"]],
    ["comparison", "a === b;", ["a !== b;"]],
    ["condition", "if (a) {} else {}", ["if (!(a)) {} else {}"]],
    ["condition", "x = a && b ? 1 : 2;", ["x = !(a && b) ? 1 : 2;"]],
    ["condition", "if (!a) {}", ["if (a) {}"]],
    ["condition", "if (a < b) {}", []],
    ["arithmetic", "a % b;", ["a * b;"]],
    ["arithmetic", "a += b;", ["a -= b;"]],
    ["arithmetic", "i++;", ["i--;"]],
    ["arithmetic", "x = -a;", ["x = a;"]],
    ["logic", "a && b;", ["a || b;"]],
    ["nullish", "x = a ?? b;", ["x = a;", "x = (b);"]],
    ["boolean", "x = { a: true };", ["x = { a: false };"]],
    [
      "number",
      "x = [0, 9, 10, 0.5, 60_000];",
      [
        "x = [1, 9, 10, 0.5, 60_000];",
        "x = [0, 10, 10, 0.5, 60_000];",
        "x = [0, 9, 20, 0.5, 60_000];",
        "x = [0, 9, 10, 1, 60_000];",
        "x = [0, 9, 10, 0.5, 120000];",
      ],
    ],
    ["string", 'x = { "a-b": "c" };', ['x = { "a-b": "cx" };']],
    ["string", 'x = "for people"; import y from "z"; type T = "t"; import("w"); require("v");', []],
    ["regex anchor", "x = /^a$/i;", ["x = /a$/i;", "x = /^a/i;"]],
    ["regex anchor", "x = /a\\$/;", []],
    ["other call", "a.some(f); Math.min(a, b);", ["a.every(f); Math.min(a, b);", "a.some(f); Math.max(a, b);"]],
    ["other call", "a.toString();", []],
    ["skipped call", "x = a.b.filter(f).map(g);", ["x = a.b.map(g);"]],
    [
      "removed statement",
      "{ f(); if (a) { throw b; } const c = 1; }",
      ["{  if (a) { throw b; } const c = 1; }", "{ f();  const c = 1; }"],
    ],
    ["removed element", "x = [a, b, c];", ["x = [b, c];", "x = [a, c];", "x = [a, b];"]],
    ["removed element", "x = [a,];", ["x = [];"]],
    [
      "removed property",
      "x = { a, dependsOn: [b], ...c };",
      ["x = { dependsOn: [b], ...c };", "x = { a, ...c };", "x = { a, dependsOn: [b] };"],
    ],
    ["removed property", 'x = { because: "of a reason", code: "E1" };', ['x = { because: "of a reason" };']],
    ["removed argument", "f(a, b); new C(a);", ["f(a); new C(a);", "f(a, b); new C();"]],
    [
      "empty return",
      "function f(): readonly string[] { return [a]; }",
      ["function f(): readonly string[] { return []; }"],
    ],
    [
      "empty return",
      "const f = (): boolean => a;",
      ["const f = (): boolean => true;", "const f = (): boolean => false;"],
    ],
    [
      "empty return",
      "async function f(): Promise<string | undefined> { return a; }",
      [
        'async function f(): Promise<string | undefined> { return ""; }',
        "async function f(): Promise<string | undefined> { return undefined; }",
      ],
    ],
    ["empty return", "function f(): Plan { return a; }", []],
  ];

  test.each(cases)("%s of: %s", (operator, before, after) => {
    expect(mutantTexts(operator, before)).toEqual(after);
  });

  test("have a case each", () => {
    expect([...new Set(cases.map(([operator]) => operator))].sort()).toEqual(Object.keys(OPERATORS).sort());
  });

  test("leave alone what is thrown, types and imports", () => {
    const text =
      'throw f("a", 1 + 2); x = new ConfigError("a", 1); type A = 1 | 2; import { b } from "c"; export { d } from "e";';
    expect(mutantsOf("planner/x.ts", text).map(({ operator, before }) => `${operator} ${before}`)).toEqual([
      'removed statement x = new ConfigError("a", 1);',
    ]);
  });
});

describe("a mutant", () => {
  const text = "function f() {\n  return a < b;\n}\nfunction g() {\n  return a < b;\n}\n";

  test("has an id of its own, also where lines repeat", () => {
    const repeated = `${text}const c = a < b || a < b;\n`;
    const ids = mutantsOf("planner/x.ts", repeated).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(8);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("keeps its id where other lines change, and loses it where its own do", () => {
    const [before] = mutantsOf("planner/x.ts", text);
    const moved = mutantsOf("planner/x.ts", `// A line more.\n${text}`).find(({ id }) => id === before?.id);
    expect(moved).toMatchObject({ operator: before?.operator, line: 3, before: "<" });
    const ids = mutantsOf("planner/x.ts", text.replace("a < b", "a < b + 1")).map(({ id }) => id);
    expect(ids).not.toContain(before?.id);
  });

  test("is applied with others, in any order", () => {
    const one = mutantsOf("planner/x.ts", text).filter(({ operator }) => operator === "boundary");
    for (const order of [one, [...one].reverse()]) {
      expect(mutated(text, order)).toBe(text.replaceAll("<", "<="));
    }
  });
});

test("tables of data and types have no code", () => {
  expect(hasCode("a.ts", "export const A = [{ b: 1 }] as const; export interface C { d(): void }")).toBe(false);
  expect(hasCode("a.ts", "export const A = { b: (c: number) => c + 1 };")).toBe(true);
});
