import { expect, it } from "vitest";
import { importsOf, typeScriptFiles } from "../architecture/imports";

it("reaches vitest by no import: the bench runs without it", () => {
  const reached = new Map(
    typeScriptFiles("test/bench").flatMap((file) => (file.endsWith(".test.ts") ? [] : [[file, ""]])),
  );
  const vitest: string[] = [];
  for (const [file] of reached) {
    for (const { target, isPackage, isType } of importsOf(file)) {
      if (target === "vitest" && !isType) {
        vitest.push(`${file}, by way of ${reached.get(file)}`);
      } else if (!isPackage && !isType && !reached.has(target)) {
        reached.set(target, file);
      }
    }
  }
  expect(reached.size).toBeGreaterThan(200);
  expect(vitest).toEqual([]);
});
