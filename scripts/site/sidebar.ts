/** The sidebar, made from the index of docs/README.md: its sections, and its links in their order. */
import { posix } from "node:path";
import { targetOf } from "./links";
import { githubSlug, linksOf } from "./markdown";
import { INDEX, type Page } from "./pages";

export interface SidebarItem {
  readonly text: string;
  /** Of a page; a heading alone has none. */
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

/** Where the site has the index. */
const CONTENTS = "/contents";

export function sidebarOf(pages: ReadonlyMap<string, Page>): readonly SidebarItem[] {
  const index = pages.get(INDEX)?.text ?? "";
  const [, ...sections] = index.split(/^## +/m);
  const listed = new Set<Page>();
  return sections.map((section) => {
    const [heading = ""] = section.split("\n", 1);
    const linked = linksOf(section).flatMap(({ text, href }) => {
      const target = targetOf(href, INDEX, pages);
      if (target.kind !== "page" || listed.has(target.page)) {
        return [];
      }
      listed.add(target.page);
      return [{ text: text.replaceAll("`", ""), page: target.page }];
    });
    const named = new Set(linked.map(({ page }) => page));
    const items = linked.map(({ text, page }) => itemOf(text, page, pages, named));
    const text = heading.trim();
    // A heading without a link would be a button around the button that opens it.
    return { text, link: `${CONTENTS}#${githubSlug(text)}`, collapsed: true, items };
  });
}

/** A page; that of a folder with all pages of the folder which the index does not name itself. */
function itemOf(text: string, page: Page, pages: ReadonlyMap<string, Page>, named: ReadonlySet<Page>): SidebarItem {
  const link = linkTo(page);
  if (posix.basename(page.source) !== "README.md" || page.source.indexOf("docs/") !== 0) {
    return { text, link };
  }
  const folder = `${posix.dirname(page.source)}/`;
  const within = [...pages.values()].filter(
    (each) => each !== page && each.source.startsWith(folder) && !named.has(each),
  );
  const items = within.map((each) => ({ text: each.title, link: linkTo(each) }));
  return items.length === 0 ? { text, link } : { text, link, collapsed: true, items };
}

/** A page's address in the site, before the site's own base. */
export function linkTo({ path }: Page): string {
  return `/${path.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
}

/** Addresses that the sidebar has. */
export function sidebarLinks(items: readonly SidebarItem[]): string[] {
  return items.flatMap(({ link, items: inner = [] }) => [
    ...(link === undefined ? [] : [link]),
    ...sidebarLinks(inner),
  ]);
}
