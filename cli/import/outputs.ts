/** Outputs must be plain files that the import does not read. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { visible } from "../../names/visible";
import { lineOf, whyUnwritable } from "../io";

/**
 * Why outputs cannot be written.
 * @param force replaces existing files.
 */
export function outputProblems(targets: readonly string[], files: readonly string[], force: boolean): string[] {
  return [
    ...targets.flatMap((target) => blockedReason(target, force) ?? []),
    ...repeated(targets, files).map(
      (file) => `${visible(file)} is read or written already: give each output a file of its own`,
    ),
    ...repeated(files, []).map((file) => `${visible(file)} is named twice: name each file once`),
  ];
}

function repeated(files: readonly string[], others: readonly string[]): string[] {
  const known = others.map(identity);
  return files.filter((file) => {
    const own = identity(file);
    const isKnown = known.includes(own);
    known.push(own);
    return isKnown;
  });
}

/** Includes hard links. */
function identity(file: string): string {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return place(resolve(file));
  }
}

function place(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

function blockedReason(file: string, force: boolean): string | undefined {
  try {
    const found = lstatSync(resolve(file), { throwIfNoEntry: false });
    if (found !== undefined && !force) {
      return `${visible(file)} exists: name a new file, or add --force`;
    }
    if (found !== undefined && !found.isFile()) {
      return `${visible(file)} is a link, a folder or a device: name a plain file`;
    }
  } catch (error) {
    return `${visible(file)} cannot be written: ${lineOf(error)}`;
  }
  return whyUnwritable("the environment or its report", file);
}
