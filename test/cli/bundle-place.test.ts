import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { useFolder } from "./run";

const folder = useFolder();

it("a command whose bundle has no place names the folder and the way out, without a trace", () => {
  for (const file of ["cli/run.mjs", "launch/bundles.cjs"]) {
    mkdirSync(dirname(join(folder, file)));
    copyFileSync(join(repositoryRoot(), file), join(folder, file));
  }
  // A file where the folder should be stops root, too.
  writeFileSync(join(folder, "dist"), "");
  const { status, stderr } = spawnSync(process.execPath, [join(folder, "cli", "run.mjs"), "plan"], {
    encoding: "utf8",
  });
  expect(status).toBe(2);
  expect(stderr).toContain(`${join(folder, "dist")} cannot be written`);
  expect(stderr).toContain("node cli/run.mjs --build");
  expect(stderr).not.toMatch(/\n\s+at /);
});
