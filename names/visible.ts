/** Untrusted text from servers, files and other people. */

/**
 * Characters that could falsify a report: control characters, bidirectional marks, Unicode's
 * invisible characters (joiners, fillers, tags, variation selectors), lone surrogates.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes such characters, including line feeds and tabs: `\u001b`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, written);
}

/** Same, but keeps line feeds and tabs. */
export function visibleLines(text: string): string {
  return text.replace(UNSEEN, (character) => (/[\n\t]/.test(character) ? character : written(character)));
}

/** Same for the text of a JSON document, whose strings keep their values. */
export function visibleJson(text: string): string {
  return text.replace(UNSEEN, (character) =>
    character === "\n"
      ? character
      : character
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}

export function isVisible(text: string): boolean {
  return text.search(UNSEEN) === -1;
}

function written(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
