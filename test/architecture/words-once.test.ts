import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { sourceFiles, typeScriptFiles } from "./imports";
import { repetitions, type SourceText } from "./words";

/** They run whole programs, and know what happened by what these say. */
const NO_UNIT_TESTS = /^test\/(e2e|nightly|engines-real)\//;

function read(file: string): SourceText {
  return { file, text: readFileSync(join(repositoryRoot(), file), "utf8") };
}

/** What is wrong, a line each. */
function offences(product: readonly SourceText[], tests: readonly SourceText[]): string[] {
  const lines = repetitions(product, tests).map(
    ({ words, product: file, tests: holders }) => `"${words}" (${file}) is in ${holders.join(" and ")}`,
  );
  return [...new Set(lines)];
}

describe("the words of a message", () => {
  it("are in one file of unit tests, so that rewording a message costs one edit", () => {
    const product = sourceFiles().filter((file) => !file.startsWith("scripts/"));
    const tests = typeScriptFiles("test").filter((file) => !NO_UNIT_TESTS.test(file));
    expect([product.length > 1000, tests.length > 500]).toEqual([true, true]);
    expect(
      offences(product.map(read), tests.map(read)),
      "keep the words in the test of what makes the message; elsewhere assert its rule, path and numbers",
    ).toEqual([]);
  });

  const WORDS = "nodes have room for replicas alone";
  const OTHERS = 'const others = ["no such file on the disk here", "Allow service x to use keys in a place"];';
  const told = `const told = (n: number) => \`pools.gpu: \${n / 2} nodes have room for \${\`\${n} "\`} replicas alone\`;`;
  const asked =
    'const asked = /^no such file on the disk here/; const grant = "Allow service x to use keys in a place";';
  const one = `it("says it", () => expect(told(6)).toBe('pools.gpu: 3 nodes have room for 6 replicas alone')); ${OTHERS}`;
  const offencesWith = (other: string) =>
    offences(
      [{ file: "planner/told.ts", text: `${told} ${asked}` }],
      [
        { file: "test/one.test.ts", text: one },
        { file: "test/other.test.ts", text: other },
      ],
    );

  it.each([
    ["a string", `it("", () => expect(x / 2).toContain("${WORDS}"));`],
    [
      "a template",
      `it(\`\${x}\`, () => expect(y).toBe(\`\${z({ a: "}" })} nodes have room for \${x} replicas alone\`));`,
    ],
    ["a pattern", String.raw`it("", () => expect(x).toMatch(/\d+ nodes have "room" for [/'\d]+ replicas alone\n/));`],
    ["rows of a table", `it.each<[string]>([["${WORDS}"]])("%s", (row) => expect(x).toBe(row));`],
  ])("are found in %s of another", (_, text) => {
    expect(offencesWith(text)).toEqual([`"${WORDS}" (planner/told.ts) is in test/one.test.ts and test/other.test.ts`]);
  });

  it.each([
    ["five of them", 'it("", () => expect(x).toBe("2 nodes have room for 6 replicas"));'],
    ["a title", `describe("${WORDS}", () => it.each<[string]>([["a"]])("%s: ${WORDS}", () => {}));`],
    ["a comment", `// "${WORDS}"`],
    ["a path", 'import x from "./nodes/have/room/for/replicas/alone";'],
    ["what another program says, and a policy's statement", OTHERS],
  ])("are not found in %s", (_, text) => {
    expect(offencesWith(text)).toEqual([]);
  });
});
