import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { programIn } from "../../names/programs";

/**
 * Links utilities of this machine into a folder that becomes a PATH: what else is installed is not found there.
 *
 * @throws Error for one that this machine lacks.
 */
export function linkUtilities(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const path = programIn(process.env.PATH, name);
    if (path === undefined) {
      throw new Error(`${name} is not on the PATH (${process.env.PATH})`);
    }
    symlinkSync(path, join(folder, name));
  }
}
