/**
 * `npm test` needs Node, git, sh and the utilities of POSIX: what starts another program is a test on real parts. `.ci/run`
 * runs the tests with a PATH of nothing else (.ci/clean-path.sh); this finds what goes around it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import config from "../../vitest.config.mts";
import { filesOfGit } from "./imports";

const ALLOWED = ["git", "sh"];
const STARTS = /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(\s*["'`](?<program>[\w./-]+)/g;
const FOLDERS = /["'`:](?<folder>\/(?:usr\/(?:local\/)?)?s?bin)(?=["'`:])/g;

/** Programs that a test starts by name, and folders of programs that it puts on a PATH. */
function goesAround(text: string): string[] {
  const programs = [...text.matchAll(STARTS)].map(({ groups }) => groups?.program ?? "");
  const folders = [...text.matchAll(FOLDERS)].map(({ groups }) => groups?.folder ?? "");
  return [...programs.filter((program) => !ALLOWED.includes(program)), ...folders];
}

describe("tests on Node alone", () => {
  const elsewhere = (config.test?.exclude ?? []).map((glob) => glob.replace("**", ""));
  const files = filesOfGit("test/*.ts", "policies/*.ts").filter(
    (file) => !["test/bench/", ...elsewhere].some((folder) => file.startsWith(folder)),
  );

  it("start nothing that a clean machine may lack", () => {
    const found = files
      .filter((file) => !file.startsWith("test/architecture/"))
      .map((file) => [file, ...goesAround(readFileSync(join(repositoryRoot(), file), "utf8"))])
      .filter(({ length }) => length > 1);
    expect(files.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
  });

  it.each([
    ['spawnSync("busybox", ["sh"])', ["busybox"]],
    ['execFile("/bin/bash", [script])', ["/bin/bash"]],
    ["env: { PATH: `${bin}:/usr/bin:/bin` }", ["/usr/bin", "/bin"]],
    ['execFileSync("git", args); spawn(process.execPath)', []],
    ['program("kind", "#!/bin/sh")', []],
  ])("%s: %s", (text, found) => {
    expect(goesAround(text)).toEqual(found);
  });
});
