/** A part that no test starts costs every run its download and its build. The proxy was once installed for nobody. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import type { Part } from "../../../rehearsal/parts/part";
import { PARTS } from "../../../rehearsal/parts/parts";

/** Where tests of real parts are, but for those of the parts themselves. */
const TESTS = ["test/e2e", "test/nightly", "test/engines-real"].map((folder) => join(repositoryRoot(), folder));
const OF_PARTS = ["test/e2e/parts", "rehearsal/parts"].map((folder) => join(repositoryRoot(), folder, "/"));

/** Those that run with every change. */
const [EVERY_CHANGE = ""] = TESTS;

/** Source of the tests, and of all that they import of this repository. */
function reachable(folders: readonly string[]): string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => join(folder, file)),
  );
  const seen = new Map<string, string>();
  for (let file = files.pop(); file !== undefined; file = files.pop()) {
    if (!seen.has(file) && !OF_PARTS.some((folder) => file?.startsWith(folder))) {
      const text = readFileSync(file, "utf8");
      seen.set(file, text);
      files.push(...imports(file, text));
    }
  }
  return [...seen.values()];
}

function imports(file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import\()\s*"(?<path>\.[^"]*)"/g)].map(
    ({ groups }) => groups?.path ?? "",
  );
  return specifiers
    .map((path) => join(dirname(file), path))
    .flatMap((path) => [`${path}.ts`, join(path, "index.ts")].filter((each) => existsSync(each)).slice(0, 1));
}

/** Parts none of whose binaries is what one of these functions is called with: `requirePart("envoy")`, `lintJson("checkov", …)`. */
function unasked(parts: readonly Pick<Part, "name" | "binaries">[], sources: readonly string[]): string[] {
  const called = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/\b(?:requirePart|partOf|lint\w+|tool)\(\s*"(?<name>[\w.-]+)"/g)].map((m) => m.groups?.name),
    ),
  );
  return parts
    .filter(({ binaries }) => !Object.keys(binaries).some((name) => called.has(name)))
    .map(({ name }) => name);
}

describe("real parts", () => {
  const sources = reachable(TESTS);

  it("are each asked for by a test", () => {
    expect(unasked(PARTS, sources)).toEqual([]);
  });

  it("are installed on request only where no test of every change asks for them", () => {
    const byDefault = PARTS.filter(({ onRequest }) => onRequest !== true);
    expect(unasked(byDefault, reachable([EVERY_CHANGE]))).toEqual([]);
  });

  it("are missed where a test only mentions them", () => {
    const forgotten = { name: "forgotten", binaries: { "no-such-program": "no-such-package" } };
    expect(unasked([forgotten], [...sources, 'const name = "no-such-program";'])).toEqual(["forgotten"]);
    expect(unasked([forgotten], [...sources, 'requirePart("no-such-program")'])).toEqual([]);
    expect(sources.length).toBeGreaterThan(100);
  });
});
