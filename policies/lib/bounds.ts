import { askedOnce } from "./asked-once";

/** Characters of the longest text that is read as YAML or JSON: an object of Kubernetes holds less. */
const LONGEST = 1_500_000;
/** Levels to which objects and lists of a text may stand in each other: parsers go down by their stack. */
const DEEPEST = 200;

/** Why a text is not read as YAML or JSON; undefined where it can be. */
export function tooLargeToRead(text: string): string | undefined {
  if (text.length > LONGEST) {
    return `longer than ${LONGEST} characters`;
  }
  return isKnownDeep(text) ? `nested deeper than ${DEEPEST} levels` : undefined;
}

const isKnownDeep = askedOnce(isDeep);

/** What a list or an object within a line begins with, before a space. */
const INDICATOR = /^[-?:]$/;

/** Brackets that are open, and lists that begin in one line (`- - -`). Brackets in strings count as well: more is left undecided, never less. */
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
