/** Longest text of one finding, in characters. */
const LONGEST = 600;

/**
 * Control characters, which move a terminal's cursor or change its title, and marks that turn the direction of text: in names that
 * somebody else chose they could make a report say what it does not.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text of strangers as it may stand in a terminal: visible, and of bounded length. */
export function cleaned(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return cut.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The first of many names: `a, b, c and 12 more`. */
export function someOf(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
