import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const PACKAGE_NAME = "inference-stacks";
let found: string | undefined;

/**
 * Absolute path of the repository root: the nearest folder above this file, or else above the working directory,
 * whose package.json is named "inference-stacks". Works from the source tree and from a bundle in dist/.
 *
 * @throws Error naming both starting points when there is none.
 */
export function repositoryRoot(): string {
  found ??= rootAbove(__dirname) ?? rootAbove(process.cwd());
  if (found === undefined) {
    throw new Error(
      `no package.json named "${PACKAGE_NAME}" above ${__dirname} or ${process.cwd()}: run from inside the repository`,
    );
  }
  return found;
}

/** The nearest of a folder and those above it that is the repository's root; undefined where none is. */
export function rootAbove(folder: string): string | undefined {
  const parent = dirname(folder);
  return isRoot(folder) ? folder : parent === folder ? undefined : rootAbove(parent);
}

function isRoot(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(file)) {
    return false;
  }
  const content: unknown = JSON.parse(readFileSync(file, "utf8"));
  return typeof content === "object" && content !== null && "name" in content && content.name === PACKAGE_NAME;
}
