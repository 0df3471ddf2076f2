/** Writes the pages into a folder as VitePress reads them: links to pages by address, to files by the repository's URL. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../package.json";
import { targetOf } from "./links";
import { replaceLinks, withoutComments } from "./markdown";
import { type Page, readPages } from "./pages";
import { linkTo, sidebarOf } from "./sidebar";
import { subjectsOf } from "./subjects";

export interface SiteSettings {
  /** Path under which the site is served, with a slash at both ends. */
  readonly base: string;
  /** URL of the repository, for links to its files; without it they are text. */
  readonly repository: string | undefined;
}

const TEMPLATE = join(__dirname, "vitepress");

export function stage(root: string, folder: string, { base, repository }: SiteSettings): void {
  const pages = readPages(root);
  rmSync(folder, { recursive: true, force: true });
  for (const page of pages.values()) {
    write(join(folder, page.path), withoutComments(pageText(page, pages, repository)));
  }
  cpSync(TEMPLATE, join(folder, ".vitepress"), { recursive: true });
  write(
    join(folder, ".vitepress", "site.json"),
    JSON.stringify({ base, repository, version, sidebar: sidebarOf(pages), subjects: subjectsOf(pages) }),
  );
  for (const image of imagesOf(pages)) {
    if (existsSync(join(root, image))) {
      mkdirSync(dirname(join(folder, "public", image)), { recursive: true });
      cpSync(join(root, image), join(folder, "public", image));
    }
  }
}

/** A page's Markdown with links of the site. */
export function pageText(page: Page, pages: ReadonlyMap<string, Page>, repository: string | undefined): string {
  return replaceLinks(page.text, ({ mark, text, href }) => {
    const target = targetOf(href, page.source, pages);
    const fragment = "anchor" in target && target.anchor !== "" ? `#${target.anchor}` : "";
    const words = mark === "" && text.includes("![") ? pageText({ ...page, text }, pages, repository) : text;
    if (target.kind === "elsewhere") {
      return `${mark}[${words}](${href})`;
    }
    if (mark === "!") {
      return target.kind === "file" ? `![${text}](/${target.path})` : text;
    }
    if (target.kind === "page") {
      return `[${words}](${linkTo(target.page)}${fragment})`;
    }
    return repository === undefined ? words : `[${words}](${repository}/blob/main/${target.path}${fragment})`;
  });
}

function imagesOf(pages: ReadonlyMap<string, Page>): Set<string> {
  const images = new Set<string>();
  for (const { text, source } of pages.values()) {
    replaceLinks(text, ({ mark, href }) => {
      const target = targetOf(href, source, pages);
      if (mark === "!" && target.kind === "file") {
        images.add(target.path);
      }
      return "";
    });
  }
  return images;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
