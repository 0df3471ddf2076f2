/** What the site needs of Markdown: links, headings and first paragraphs, outside of code. */

/** A link or image as it is written. */
export interface Link {
  /** "!" of an image, else empty. */
  readonly mark: string;
  readonly text: string;
  readonly href: string;
}

const FENCES = /^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^ *\2[^\n]*$/gm;
/** Inline code is skipped; a link's text may hold it, or an image. */
const LINKS =
  /(?<code>(`+)[^`][\s\S]*?\2(?!`))|(?<mark>!?)\[(?<text>(?:[^[\]`]|`[^`\n]*`|!?\[[^\]]*\](?:\([^)]*\))?)*)\]\((?<href>[^()\s]+)\)/g;

/** The text with every link outside of code replaced. */
export function replaceLinks(markdown: string, replaced: (link: Link) => string): string {
  return outsideFences(markdown, (text) =>
    text.replace(LINKS, (all, ...rest) => {
      const { code, mark = "", text: words = "", href = "" } = rest.at(-1) as Record<string, string | undefined>;
      return code === undefined ? replaced({ mark, text: words, href }) : all;
    }),
  );
}

export function linksOf(markdown: string): Link[] {
  const links: Link[] = [];
  replaceLinks(markdown, (link) => {
    links.push(link);
    return "";
  });
  return links;
}

/** The text without comments outside of code. */
export function withoutComments(markdown: string): string {
  return outsideFences(markdown, (text) => text.replace(/<!--[\s\S]*?-->\n?/g, ""));
}

function outsideFences(markdown: string, changed: (text: string) => string): string {
  let end = 0;
  let result = "";
  for (const fence of markdown.matchAll(FENCES)) {
    result += changed(markdown.slice(end, fence.index)) + fence[0];
    end = fence.index + fence[0].length;
  }
  return result + changed(markdown.slice(end));
}

export function withoutFences(markdown: string): string {
  return markdown.replace(FENCES, "");
}

/** Anchors of a page's headings as GitHub makes them; a second heading of the same words gets `-1`. */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>();
  const headings = [...withoutFences(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)];
  return headings.map(([, heading = ""]) => {
    const slug = githubSlug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** GitHub's anchor of a heading: lower case, no punctuation, a hyphen for each space. */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

export function titleOf(markdown: string): string {
  return (/^# +(.+)$/m.exec(markdown)?.[1] ?? "").replaceAll("`", "").trim();
}

/** The paragraph after the title, without markup; empty where something else is there. */
export function firstParagraph(markdown: string): string {
  const [, body = ""] = /^# [^\n]+\n([\s\S]*)$/m.exec(markdown) ?? [];
  const [first = ""] = body
    .replace(/<!--[\s\S]*?-->/g, "")
    .trim()
    .split(/\n\s*\n/);
  const isText = !/^(#|\||```|~~~|[-*] |\d+\. |<|!\[|```)/.test(first);
  return isText ? first.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]/g, "") : "";
}
