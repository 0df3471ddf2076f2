/**
 * The longest text of an engine, a registry or a cluster that goes into an error, in characters. They may say megabytes,
 * and what they say is kept: in the queue, in the log, in every answer that shows the task.
 */
const LONGEST_WORDS = 500;

/** The longest reason that a task keeps: those of several workers may stand in one. */
export const LONGEST_REASON = 2_000;

/** Stands for what is left out. */
const GAP = " … ";

/**
 * Words of others on one line, without control characters, and no longer than `limit` characters. Of longer ones the
 * beginning and the end stay: a failed download ends with its cause, behind a long address.
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
