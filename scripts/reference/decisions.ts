import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { markdownTable } from "../../stacks/config/markdown-table";
import { firstSentences } from "./first-sentence";
import { page } from "./page";

export const DECISIONS_PAGE = "docs/decisions/README.md";

const TITLE = /^# (?:\d+[.:] *)?(?<title>.*)$/m;
const DECIDED = /^\*\*Decided(?:\.\*\*|\*\*:|\*\* \([^)]*\):) (?<decided>(?:.|\n(?!\n))+)/m;
/** Paths of files help those who read the page itself. */
const PATHS = / \([^()]*`[^`()]*\/[^`()]*`[^()]*\)/g;
/** A shorter sentence says too little on its own. */
const LEAST = 60;

/** Every decision with its title and what was decided. */
export function decisionsPage(): string {
  const folder = join(repositoryRoot(), dirname(DECISIONS_PAGE));
  const rows = readdirSync(folder)
    .filter((file) => /^\d{4}-.*\.md$/.test(file))
    .sort()
    .map((file) => decisionRow(file, readFileSync(join(folder, file), "utf8")));
  return page(
    "Decisions",
    "the pages of this folder",
    "One page per decision that a successor would question: what was decided, why, what was given up. Missing numbers were never used, or their decision was withdrawn.",
    markdownTable(["Decision", "What was decided"], rows),
  );
}

/** @throws Error for a page that does not say what was decided. */
export function decisionRow(file: string, text: string): string[] {
  const title = TITLE.exec(text)?.groups?.title;
  const decided = DECIDED.exec(text)?.groups?.decided;
  if (title === undefined || decided === undefined) {
    throw new Error(`${file} needs a heading, and a paragraph that begins with "**Decided.** "`);
  }
  const summary = firstSentences(decided.replace(PATHS, ""), LEAST).replace(/:$/, ".");
  return [`[${Number(file.slice(0, 4))}. ${title}](${file})`, summary.charAt(0).toUpperCase() + summary.slice(1)];
}
