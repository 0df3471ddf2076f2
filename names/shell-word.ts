/** A text as one word of a POSIX shell: in quotes where it is not plain. */
export function shellWord(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
