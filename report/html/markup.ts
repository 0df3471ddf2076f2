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
 * Escapes strings and numbers, keeps `Markup`, joins lists, drops `undefined`. Attributes must be
 * quoted.
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
