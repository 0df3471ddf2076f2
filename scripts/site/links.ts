/** Where links of a page lead: to another page of the site, to a file of the repository, or elsewhere. */
import { posix } from "node:path";
import type { Page } from "./pages";

export type Target =
  | { readonly kind: "page"; readonly page: Page; readonly anchor: string }
  | { readonly kind: "file"; readonly path: string; readonly anchor: string }
  | { readonly kind: "elsewhere" };

/** @param from The file that holds the link, from the repository's root. */
export function targetOf(href: string, from: string, pages: ReadonlyMap<string, Page>): Target {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) {
    return { kind: "elsewhere" };
  }
  const [file = "", anchor = ""] = href.split("#");
  const path = file === "" ? from : posix.normalize(posix.join(posix.dirname(from), file)).replace(/\/$/, "");
  const page = pages.get(path) ?? pages.get(`${path}/README.md`);
  return page === undefined ? { kind: "file", path, anchor } : { kind: "page", page, anchor };
}
