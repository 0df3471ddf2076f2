/** What other pages state a page is about. The search ranks by it: readers search for subjects, not for titles. */
import { targetOf } from "./links";
import { linksOf, replaceLinks } from "./markdown";
import { INDEX, type Page } from "./pages";
import { linkTo } from "./sidebar";

/** Pages whose list items and rows name other pages. */
const SOURCES = ["README.md", INDEX, "docs/glossary.md"];

/** By address: texts of the links to the page, each with what follows it in its line, and the term of its row. */
export function subjectsOf(pages: ReadonlyMap<string, Page>): Readonly<Record<string, string>> {
  const subjects: Record<string, string> = {};
  for (const source of SOURCES) {
    const lines = (pages.get(source)?.text ?? "").split("\n").filter((line) => /^(- |\| )/.test(line));
    for (const { href, words } of lines.flatMap(linkedWords)) {
      const target = targetOf(href, source, pages);
      if (target.kind === "page") {
        const address = linkTo(target.page);
        subjects[address] = `${subjects[address] ?? ""} ${words}`.trim();
      }
    }
  }
  return subjects;
}

function linkedWords(line: string): { readonly href: string; readonly words: string }[] {
  const [, term = ""] = /^\| ([^|]+) \|/.exec(line) ?? [];
  const [, ...texts] = replaceLinks(line, ({ text }) => `\n${text}`).split("\n");
  return linksOf(line).map(({ href }, index) => ({ href, words: `${term} ${texts[index] ?? ""}`.trim() }));
}
