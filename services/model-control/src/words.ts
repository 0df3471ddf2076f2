/**
 * Maximum characters of external text in an error. Engines, registries and clusters may send
 * megabytes.
 */
const LONGEST_WORDS = 500;

/** Maximum length of a task's reason, with several workers' errors. */
export const LONGEST_REASON = 2_000;

const GAP = " … ";

/**
 * External text on one line, without control characters, up to `limit` characters. Keeps both ends:
 * a failed download states its cause last.
 */
export function shortened(words: string, limit = LONGEST_WORDS): string {
  if (words.length <= limit) {
    return onOneLine(words);
  }
  const tail = Math.floor((limit - GAP.length) / 3);
  const head = limit - GAP.length - tail;
  return onOneLine(words.slice(0, head) + GAP + words.slice(-tail));
}

function onOneLine(words: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return words.replace(/[\u0000-\u001f\u007f]+/g, " ");
}
