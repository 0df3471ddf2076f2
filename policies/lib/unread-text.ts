/** A line that is a comment of YAML, shell, property files, programs or markup. */
const COMMENT = /^\s*(#|\/\/|;|<!--)/;
/** Options that a `case` of a shell compares with: what follows the bracket is done. */
const CASE_PATTERN = /^\s*\(?\s*-[\w.=*-]+(?:\s*\|\s*-[\w.=*-]+)*\s*\)/;
/** A line that a person reads: it begins as a sentence, of plain words, or ends as one. */
const BEGINS_AS_SENTENCE = /^\s*(?:[-*]\s+)?[A-Z][a-z]+ [a-z]+ [a-z]+ /;
const ENDS_AS_SENTENCE = /^\s*(?:[-*]\s+)?[A-Z][a-z]+ .*[a-z`'")][.!?]\s*$/;
const DESCRIPTION = /^\s*(?:-\s+)?["']?description["']?\s*:/;

/** A text without what no program reads of it: comments, and the patterns of a `case`. Lines stay where they are. */
export function withoutComments(text: string): string {
  return mapLines(text, (line) =>
    COMMENT.test(line) ? "" : withoutTrailingComment(line.includes(")") ? line.replace(CASE_PATTERN, "") : line),
  );
}

/** A text without lines that are for people: sentences and descriptions. Lines stay where they are. */
export function withoutProse(text: string): string {
  return mapLines(text, (line) =>
    [BEGINS_AS_SENTENCE, ENDS_AS_SENTENCE, DESCRIPTION].some((pattern) => pattern.test(line)) ? "" : line,
  );
}

/** A `#` between quotes begins no comment: from where quotes are open, all is kept. */
function withoutTrailingComment(line: string): string {
  const before = /^(.*?)\s#/.exec(line)?.[1];
  return before !== undefined && ['"', "'", "`"].every((quote) => before.split(quote).length % 2 === 1) ? before : line;
}

function mapLines(text: string, change: (line: string) => string): string {
  return text.split("\n").map(change).join("\n");
}
