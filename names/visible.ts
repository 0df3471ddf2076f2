/** Text of strangers: names, versions and errors that servers, files and other people chose. */

/**
 * Control characters, which move a terminal's cursor or change its title; marks that turn the direction of text; what is not seen, as
 * Unicode has it: joiners, fillers, tags, variation selectors; halves of surrogate pairs. They could make a report say what it does not.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

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
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
