import { createHash } from "node:crypto";
import { type Dirent, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

/** What holds no source: packages, what is built, what is kept, Git's own. */
const WITHOUT_SOURCE = /^(?:node_modules|dist|\.(?!ci$|github$).+)$/;

/** What can be imported. */
const IMPORTABLE = /\.(?:[cm]?[jt]s|json)$/;
/** What decides how a file is compiled, by name. */
const COMPILER = /(?:^|\/)(?:tsconfig.*|package)\.json$/;
/** No run takes longer: a folder that no run has begun with for this long is left over. */
const LEFT_OVER_MS = 24 * 3_600_000;

/**
 * Folder in which vitest keeps what it made of each file, by the file's content, until packages are installed anew: the next run starts
 * its first tests some ten seconds earlier. Vitest keeps an import as the file that it was resolved to, and does not look at compiler
 * options; so other names of files, and other options, begin another folder.
 *
 * @param root of the repository.
 * @returns undefined when the folder cannot be used: this run keeps nothing.
 */
export function keptTransforms(root: string): string | undefined {
  try {
    return folderFor(root);
  } catch (error) {
    // Runs are slower without, and right all the same.
    if ((error as NodeJS.ErrnoException).code === undefined) {
      throw error;
    }
    return undefined;
  }
}

function folderFor(root: string): string {
  const parent = join(root, "node_modules", ".vitest-transforms");
  const current = join(parent, keyOf(filesBelow(root)));
  mkdirSync(current, { recursive: true });
  const now = Date.now();
  utimesSync(current, now / 1000, now / 1000);
  for (const folder of readdirSync(parent).map((name) => join(parent, name))) {
    const { mtimeMs = now } = statSync(folder, { throwIfNoEntry: false }) ?? {};
    if (now - mtimeMs > LEFT_OVER_MS) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return current;
}

function keyOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    hash.update(`${file}\n`).update(COMPILER.test(file) ? readFileSync(file) : "");
  }
  return hash.digest("hex").slice(0, 16);
}

function filesBelow(folder: string): string[] {
  const path = ({ name }: Dirent) => join(folder, name);
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !WITHOUT_SOURCE.test(name))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(path(entry)) : IMPORTABLE.test(entry.name) ? [path(entry)] : [],
    );
}
