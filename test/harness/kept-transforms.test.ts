import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useFolder } from "../cli/run";
import { keptTransforms } from "./kept-transforms.mts";

const root = useFolder();

const put = (path: string, text: string) => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
};

it("keeps transforms while files have the same names and compiler options", () => {
  put("planner/plan.ts", "1");
  put("tsconfig.json", "{}");
  const first = keptTransforms(root);
  put("planner/plan.ts", "2");
  put("dist/cli.cjs", "");
  put("docs/note.md", "");
  expect(keptTransforms(root)).toBe(first);

  mkdirSync(join(root, "planner/plan"));
  renameSync(join(root, "planner/plan.ts"), join(root, "planner/plan/index.ts"));
  const second = keptTransforms(root);
  put("tsconfig.json", '{ "compilerOptions": { "target": "es5" } }');
  expect(new Set([first, second, keptTransforms(root)]).size).toBe(3);
});

it("removes those that no run has begun with for days, not those of a run beside it", () => {
  const left = join(root, "node_modules/.vitest-transforms/left");
  const beside = join(root, "node_modules/.vitest-transforms/beside");
  for (const folder of [left, beside]) {
    mkdirSync(folder, { recursive: true });
  }
  const days = Date.now() / 1000 - 3 * 86_400;
  const current = keptTransforms(root) ?? "";
  for (const folder of [left, current]) {
    utimesSync(folder, days, days);
  }
  expect(keptTransforms(root)).toBe(current);
  expect([left, beside, current].map((folder) => existsSync(folder))).toEqual([false, true, true]);
});

it("keeps nothing where that cannot be written", () => {
  const parent = join(root, "node_modules/.vitest-transforms");
  rmSync(parent, { recursive: true });
  writeFileSync(parent, "");
  expect(keptTransforms(root)).toBeUndefined();
});
