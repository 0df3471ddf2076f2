import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useFolder } from "../cli/run";
import { keptTransforms } from "./kept-transforms";

const root = useFolder();

it("keeps transforms while files have the same names, and none of those before", () => {
  mkdirSync(join(root, "planner"));
  writeFileSync(join(root, "planner/plan.ts"), "1");
  const first = keptTransforms(root);
  mkdirSync(first);
  writeFileSync(join(root, "planner/plan.ts"), "2");
  mkdirSync(join(root, "dist"));
  writeFileSync(join(root, "dist/cli.js"), "");
  expect(keptTransforms(root)).toBe(first);
  expect(existsSync(first)).toBe(true);

  mkdirSync(join(root, "planner/plan"));
  renameSync(join(root, "planner/plan.ts"), join(root, "planner/plan/index.ts"));
  expect(keptTransforms(root)).not.toBe(first);
  expect(existsSync(first)).toBe(false);
});
