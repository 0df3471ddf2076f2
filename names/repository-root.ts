import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** What only this program's root has, whatever a fork calls its package. */
const MARKS = ["package.json", "catalog/chart-images.json"];
let found: string | undefined;

/**
 * Absolute path of the program's root, with the files it ships: the nearest folder above this file,
 * or the working directory, that has them. Works in source, from dist/ and as an npm package.
 *
 * @throws Error with both starting points if not found.
 */
export function repositoryRoot(): string {
  found ??= rootAbove(__dirname) ?? rootAbove(process.cwd());
  if (found === undefined) {
    throw new Error(
      `no folder with ${MARKS.join(" and ")} above ${__dirname} or ${process.cwd()}: run from inside the repository`,
    );
  }
  return found;
}

/** Nearest root at or above a folder; undefined if none. */
export function rootAbove(folder: string): string | undefined {
  return folderAbove(folder, MARKS);
}

/** Nearest folder at or above one that has all these files; undefined if none. */
export function folderAbove(folder: string, files: readonly string[]): string | undefined {
  if (files.every((file) => existsSync(join(folder, file)))) {
    return folder;
  }
  const parent = dirname(folder);
  return parent === folder ? undefined : folderAbove(parent, files);
}
