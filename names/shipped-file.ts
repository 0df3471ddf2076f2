import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./repository-root";

/** Checkout with modified files. */
export class CheckoutError extends Error {}

/**
 * Repository file for machines or pods: scripts, units, filters.
 *
 * @param path relative to the repository root.
 * @throws CheckoutError for Windows line ends: shells misread carriage returns, and rendered hashes
 *   would differ between checkouts.
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
