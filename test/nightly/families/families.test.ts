import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { requirePart } from "../../../rehearsal/parts/find";

const MAX_OUTPUT_BYTES = 16 * 2 ** 20;

/** What a script beside this test prints, run in the pinned transformers. */
async function printed(script: string): Promise<string> {
  const python = requirePart("transformers-python");
  const path = join(repositoryRoot(), "test", "nightly", "families", script);
  const { stdout } = await promisify(execFile)(python, ["-B", path], {
    maxBuffer: MAX_OUTPUT_BYTES,
    // configurations and shapes only: nothing is to be fetched
    env: { ...process.env, HF_HUB_OFFLINE: "1" },
  });
  return stdout;
}

// one line per family: the difference names those that moved
it.each([
  { file: "test/fixtures/families/families.json", script: "count_parameters.py" },
  { file: "catalog/model-defaults.json", script: "read_defaults.py" },
])("$file is what $script prints", async ({ file, script }) => {
  const committed = readFileSync(join(repositoryRoot(), file), "utf8");
  expect((await printed(script)).split("\n")).toEqual(committed.split("\n"));
});
