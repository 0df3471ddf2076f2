/** Links of the built pages that lead to no page or to no heading of one. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

export function deadLinks(folder: string): string[] {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".html"))
      .map((file) => [`/${file}`, readFileSync(join(folder, file), "utf8")]),
  );
  const ids = new Map(
    [...pages].map(([path, html]) => [path, new Set(attributes(html, / id="([^"]+)"/g).map((id) => `#${id}`))]),
  );
  return [...pages].flatMap(([path, html]) =>
    attributes(html, /<a [^>]*?href="([^"]+)"/g)
      .filter((href) => !/^[a-z]+:/i.test(href))
      .filter((href) => {
        const { pathname, hash } = new URL(href, `http://site${path}`);
        const target = [pathname, `${pathname}.html`, posix.join(pathname, "index.html")].find((each) => ids.has(each));
        return target === undefined || (hash !== "" && ids.get(target)?.has(decodeURIComponent(hash)) !== true);
      })
      .map((href) => `${path}: ${href}`),
  );
}

function attributes(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, value = ""]) => value.replaceAll("&amp;", "&"));
}
