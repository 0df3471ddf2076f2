import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * Absolute path of a program on a PATH; undefined if absent.
 *
 * Skips relative entries, which depend on the current folder.
 */
export function programIn(path: string | undefined, name: string): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Whether this is an executable file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
