import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * Absolute path of a program that a PATH has; undefined where there is none.
 *
 * Relative entries of the PATH are left out: what they mean depends on the current folder.
 */
export function programIn(path: string | undefined, name: string): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Whether this is a file that may be executed; a folder is none. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
