/** POSIX shell word, quoted if necessary. */
export function shellWord(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : shellQuoted(text);
}

/** POSIX shell word, always quoted. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
