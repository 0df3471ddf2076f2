/** YAML, shell, property files, programs or markup. */
const COMMENT = /^\s*(#|\/\/|;|<!--)/;
/** Options that a shell `case` compares with; what follows the bracket runs. */
const CASE_PATTERN = /^\s*\(?\s*-[\w.=*-]+(?:\s*\|\s*-[\w.=*-]+)*\s*\)/;
/** Prose: begins like a sentence of plain words, or ends like one. */
const BEGINS_AS_SENTENCE = /^\s*(?:[-*]\s+)?[A-Z][a-z]+ [a-z]+ [a-z]+ /;
const ENDS_AS_SENTENCE = /^\s*(?:[-*]\s+)?[A-Z][a-z]+ .*[a-z`'")][.!?]\s*$/;
const DESCRIPTION = /^\s*(?:-\s+)?["']?description["']?\s*:/;

/** Without comments and `case` patterns, which no program reads. Lines keep their numbers. */
export function withoutComments(text: string): string {
  return mapLines(text, (line) =>
    COMMENT.test(line) ? "" : withoutTrailingComment(line.includes(")") ? line.replace(CASE_PATTERN, "") : line),
  );
}

/** Lines keep their numbers. */
export function withoutProse(text: string): string {
  return mapLines(text, (line) =>
    [BEGINS_AS_SENTENCE, ENDS_AS_SENTENCE, DESCRIPTION].some((pattern) => pattern.test(line)) ? "" : line,
  );
}

/** A `#` in quotes begins no comment: everything after an open quote is kept. */
function withoutTrailingComment(line: string): string {
  const before = /^(.*?)\s#/.exec(line)?.[1];
  return before !== undefined && ['"', "'", "`"].every((quote) => before.split(quote).length % 2 === 1) ? before : line;
}

function mapLines(text: string, change: (line: string) => string): string {
  return text.split("\n").map(change).join("\n");
}
