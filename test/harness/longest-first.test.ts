import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { repositoryRoot } from "../../names/repository-root";
import longest from "../e2e/longest-files.json";
import { LongestFirst } from "./longest-first.mts";

const root = repositoryRoot();
const [long = "", second = ""] = Object.keys(longest);

/** As much of a specification as the order reads. */
function specification(file: string, groupOrder: number): TestSpecification {
  const project = { name: String(groupOrder), config: { isolate: true, sequence: { groupOrder } } };
  return { moduleId: join(root, file), project } as unknown as TestSpecification;
}

describe("LongestFirst", () => {
  const cache = { getFileTestResults: () => undefined, getFileStats: () => undefined };
  const sequencer = new LongestFirst({ config: { root }, cache } as unknown as Vitest);

  it("starts the longest file of each group first, and unknown ones last", async () => {
    const files = [
      specification("test/e2e/unknown.test.ts", 1),
      specification(long, 2),
      specification(second, 1),
      specification("test/e2e/folder/unknown.test.ts", 2),
    ];
    const sorted = await sequencer.sort(files);
    expect(sorted.map(({ moduleId }) => moduleId.slice(root.length + 1))).toEqual([
      second,
      "test/e2e/unknown.test.ts",
      long,
      "test/e2e/folder/unknown.test.ts",
    ]);
  });

  it.each(Object.keys(longest))("knows the file %s", (file) => {
    expect(existsSync(join(root, file))).toBe(true);
  });
});
