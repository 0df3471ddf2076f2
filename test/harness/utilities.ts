import { accessSync, constants, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Links utilities of this machine into a folder that becomes a PATH: what else is installed is not found there.
 *
 * @throws Error for one that this machine lacks.
 */
export function linkUtilities(folder: string, names: readonly string[]): void {
  for (const name of names) {
    symlinkSync(utilityPath(name), join(folder, name));
  }
}

function utilityPath(name: string): string {
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => isExecutable(path));
  if (found === undefined) {
    throw new Error(`${name} is not on the PATH (${process.env.PATH})`);
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
