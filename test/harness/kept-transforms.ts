import { createHash } from "node:crypto";
import { type Dirent, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What holds no source: packages, what is built, what is kept, Git's own. */
const WITHOUT_SOURCE = /^(?:node_modules|dist|\.(?!ci$|github$).+)$/;

/**
 * Folder in which vitest keeps what it made of each file, by the file's content, until packages are installed anew: the next run starts
 * its first tests some ten seconds earlier. An import is kept as the file that it was resolved to, so other names of files begin another
 * folder, and the one before goes.
 *
 * @param root of the repository.
 */
export function keptTransforms(root: string): string {
  const folder = join(root, "node_modules", ".vitest-transforms");
  const current = createHash("sha256").update(namesBelow(root).join("\n")).digest("hex").slice(0, 16);
  mkdirSync(folder, { recursive: true });
  for (const other of readdirSync(folder).filter((name) => name !== current)) {
    rmSync(join(folder, other), { recursive: true, force: true });
  }
  return join(folder, current);
}

function namesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !WITHOUT_SOURCE.test(name));
  const path = ({ name }: Dirent) => join(folder, name);
  return entries.flatMap((entry) => (entry.isDirectory() ? namesBelow(path(entry)) : [path(entry)])).toSorted();
}
