/** A text as one word of a POSIX shell: in quotes where it is not plain. */
export function shellWord(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : shellQuoted(text);
}

/** A text as one word of a POSIX shell, always in quotes. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
