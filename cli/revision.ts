import { execFileSync } from "node:child_process";

/** Commit of a folder, `-dirty` if changed. Undefined outside a repository, or without git. */
export function commitOf(folder: string): string | undefined {
  try {
    const args = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
