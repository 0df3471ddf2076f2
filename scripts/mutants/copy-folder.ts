import { constants, cpSync } from "node:fs";

/**
 * Copies a folder: sharing blocks where the file system can, else whole. Not by hard links: a change in the copy must not
 * reach the original. Symbolic links keep their text, so that relative ones lead into the copy.
 */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}
