import { askedOnce } from "./asked-once";

/** Characters of the longest text parsed as YAML or JSON: a Kubernetes object is smaller. */
const LONGEST = 1_500_000;
/** Deepest nesting that is parsed: parsers recurse. */
const DEEPEST = 200;

/** Undefined where it can be parsed. */
export function tooLargeToRead(text: string): string | undefined {
  if (text.length > LONGEST) {
    return `longer than ${LONGEST} characters`;
  }
  return isKnownDeep(text) ? `nested deeper than ${DEEPEST} levels` : undefined;
}

const isKnownDeep = askedOnce(isDeep);

/** Before a space it begins a list or object within a line. */
const INDICATOR = /^[-?:]$/;

/**
 * Open brackets, and lists that begin in one line (`- - -`). Brackets in strings count too: more is
 * left undecided, never less.
 */
function isDeep(text: string): boolean {
  let open = 0;
  let begun = 0;
  let before = "";
  for (const character of text) {
    if (character === "{" || character === "[") {
      open += 1;
    } else if (character === "}" || character === "]") {
      open = Math.max(0, open - 1);
    } else if (character === "\n") {
      begun = 0;
    } else if (character === " ") {
      begun += INDICATOR.test(before) ? 1 : 0;
    } else if (!INDICATOR.test(character)) {
      begun = 0;
    }
    before = character;
    if (open > DEEPEST || begun > DEEPEST) {
      return true;
    }
  }
  return false;
}
