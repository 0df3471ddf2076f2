import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, sep } from "node:path";
import { programIn } from "../../names/programs";
import { repositoryRoot } from "../../names/repository-root";

/** By these names on the PATH of the tests; git may be missing. */
const NAMES = ["sh", "git"];
const SHELL = "/bin/sh";

/**
 * Why a test on Node alone may not start a program.
 *
 * @param file as `spawn` gets it.
 * @param path the PATH that it gets.
 * @param ours folders of the tests' own PATH.
 * @returns undefined where it may, also for a name that is not found at all.
 */
export function unknownProgram(file: string, path: string | undefined, ours: readonly string[]): string | undefined {
  const remedy = "a test that starts it belongs to test/e2e (docs/ci-budget.md)";
  if (isAbsolute(file)) {
    return file === SHELL || isOwn(file) ? undefined : `${file} is a program of this machine: ${remedy}`;
  }
  if (path === undefined) {
    return `${file} gets no PATH, so that the system's own is searched: hand it process.env.PATH`;
  }
  const folders = path.split(delimiter);
  const foreign = folders.find((folder) => !ours.includes(folder) && !isOwn(folder));
  if (foreign !== undefined) {
    return `${file} gets ${foreign || "an empty entry"} on its PATH: hand it process.env.PATH, or a folder of the test's`;
  }
  const program = programIn(path, file);
  return program === undefined || NAMES.includes(file) || isOwn(program)
    ? undefined
    : `${file} (${program}) is a program of this machine: ${remedy}`;
}

/** Node itself, what `npm ci` installed, and what a test wrote. */
function isOwn(path: string): boolean {
  return path === process.execPath || [tmpdir(), repositoryRoot()].some((folder) => isBelow(path, folder));
}

function isBelow(path: string, folder: string): boolean {
  return [folder, realpathSync(folder)].some((each) => path.startsWith(each + sep));
}
