import { execFileSync } from "node:child_process";

/**
 * The commit that a folder's repository is at, `-dirty` behind it when files differ from it. Undefined outside of a
 * repository, or without git.
 */
export function commitOf(folder: string): string | undefined {
  try {
    const args = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
