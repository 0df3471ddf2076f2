/** Pages of the documentation site: Markdown of the repository, which GitHub shows as well. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { titleOf } from "./markdown";

export interface Page {
  /** File from the repository's root, e.g. `docs/local.md`. */
  readonly source: string;
  /** Where the site has it, e.g. `local.md`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** The one list of pages, by subject: the site's sidebar, and what GitHub's readers begin with. */
export const INDEX = "docs/README.md";

/** Pages outside of `docs`. */
const OTHERS: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security.md",
  "catalog/README.md": "catalogue.md",
  "policies/README.md": "policies.md",
};

/** Every page, by its file. */
export function readPages(root: string): ReadonlyMap<string, Page> {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => [`docs/${file}`, sitePath(file)] as const);
  return new Map(
    [...Object.entries(OTHERS), ...docs].sort().map(([source, path]) => {
      const text = readFileSync(join(root, source), "utf8");
      return [source, { source, path, title: titleOf(text), text }];
    }),
  );
}

/** A folder's README is its index; that of `docs` lists all pages. */
function sitePath(file: string): string {
  return file === "README.md" ? "contents.md" : file.replace(/(^|\/)README\.md$/, "$1index.md");
}
