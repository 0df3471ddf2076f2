/** Text that is already HTML. Everything else is escaped where it enters a template. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Part = Markup | string | number | undefined | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Safe between tags and inside quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * Template tag for HTML and SVG: strings and numbers are escaped, `Markup` is kept, lists are joined, `undefined` is
 * nothing. No caller escapes by hand, so none can forget. Attributes must be quoted.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(literals.map((literal, i) => (i === 0 ? literal : render(parts[i - 1]) + literal)).join(""));
}

function render(part: Part): string {
  if (part === undefined) {
    return "";
  }
  if (part instanceof Markup) {
    return part.text;
  }
  return typeof part === "object" ? part.map(render).join("") : escapeText(String(part));
}
