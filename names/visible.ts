/** Text of strangers: names, versions and errors that servers, files and other people chose. */

/**
 * Control characters, which move a terminal's cursor or change its title, and marks that turn the direction of text or are not
 * seen: they could make a report say what it does not.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The text with every such character written out: `\u001b`. Line feeds and tabs too. */
export function visible(text: string): string {
  return text.replace(UNSEEN, written);
}

/** The same for text of several lines and columns: line feeds and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(UNSEEN, (character) => (/[\n\t]/.test(character) ? character : written(character)));
}

export function isVisible(text: string): boolean {
  return text.search(UNSEEN) === -1;
}

function written(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
