/** Links are those of the page they come from, so only their words stay. No sentence ends within parentheses or code. */
export function firstSentence(text: string): string {
  return sentences(text)[0] ?? "";
}

/** As many sentences of a text as it takes to have so many characters. */
export function firstSentences(text: string, characters: number): string {
  return sentences(text).reduce((found, next) => (found.length < characters ? `${found} ${next}`.trim() : found), "");
}

function sentences(text: string): string[] {
  const plain = text
    .replaceAll("\n", " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim();
  return plain.match(/(?:\([^)]*\)|`[^`]*`|[^(`])+?(?:\.(?= |$)|$)/g)?.map((sentence) => sentence.trim()) ?? [];
}
