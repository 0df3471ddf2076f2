import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./repository-root";

/** A checkout whose files are not as they were committed. */
export class CheckoutError extends Error {}

/**
 * Text of a file of this repository that goes to machines or into pods: scripts, units, filters.
 *
 * @param path relative to the repository root.
 * @throws CheckoutError where lines end as on Windows: a shell takes the carriage return for part of each command, and every hash
 *   of what is rendered differs from that of other checkouts.
 */
export function shippedText(path: string): string {
  return requireUnixLines(path, readFileSync(join(repositoryRoot(), path), "utf8"));
}

/** @throws CheckoutError */
export function requireUnixLines(path: string, text: string): string {
  if (text.includes("\r")) {
    throw new CheckoutError(
      `${path} has carriage returns, allowed: lines that end with a line feed alone; ` +
        "fix: commit or stash your changes, then: git config core.autocrlf false && git rm -rq --cached . && git reset --hard",
    );
  }
  return text;
}
