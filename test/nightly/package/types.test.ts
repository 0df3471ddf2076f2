import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { writeTypes } from "../../../scripts/package/types";
import { NOTES_ADDON } from "../../harness/own-parts";
import { addOwnParts, thinRepository } from "../../harness/thin-repository";

describe("the types of a thin repository", { timeout: 600_000 }, () => {
  let top = "";
  let project = "";
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), "thin-types-"));
    project = thinRepository(join(top, "project"));
    writeTypes(join(project, "node_modules/inference-stacks"));
    addOwnParts(project);
  }, 600_000);
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  const check = (addon: string) => {
    writeFileSync(join(project, "addons/notes.ts"), addon);
    const compiler = join(repositoryRoot(), "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [compiler, "--noEmit", "--skipLibCheck", "false"], {
      cwd: project,
      encoding: "utf8",
    });
    return { status, stdout };
  };

  it("hold, strictly and with those of libraries", () => {
    expect(check(NOTES_ADDON)).toEqual({ status: 0, stdout: "" });
  });

  it("find a part of the contract that does not exist", () => {
    expect(check(NOTES_ADDON.replace("options()", "options(7)")).stdout).toMatch(/addons\/notes\.ts.*error TS2345/);
  });
});
