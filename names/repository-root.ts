import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const PACKAGE_NAME = "inference-stacks";
let found: string | undefined;

/**
 * Absolute path of the repository root: the nearest folder above this file, or the working
 * directory, whose package.json is "inference-stacks". Works in source and from dist/.
 *
 * @throws Error with both starting points if not found.
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

/** Nearest repository root at or above a folder; undefined if none. */
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
