import { literalsOf } from "./literals";

/** A file, with its path from the root. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** Words of a message of the product that several files of tests hold. */
export interface Repetition {
  readonly words: string;
  /** The file that makes the message. */
  readonly product: string;
  readonly tests: readonly string[];
}

/** So many words in a row are somebody's sentence; fewer are idiom, as in "write for example". */
const RUN = 6;

/** Texts that follow another's wording, whoever writes them. */
const FOREIGN: readonly { readonly texts: RegExp; readonly because: string }[] = [
  { texts: /^allow (any-user|dynamic-group|service) /i, because: "statements in the language of Oracle's policies" },
];

/**
 * The words of a text, if it is prose. Without a space it is a name: a path, an address, a key, a media type. Words
 * have letters alone: numbers, and names with digits or underscores, are values that stand between words.
 */
function wordsOf(text: string): string[] {
  if (!/\s/.test(text) || FOREIGN.some(({ texts }) => texts.test(text))) {
    return [];
  }
  const unescaped = text.replace(/\\./g, " ").toLowerCase();
  const tokens = unescaped.match(/\w[\w'-]*/g) ?? [];
  return tokens.filter((token) => token.length > 1 && !/[\d_]/.test(token));
}

function runsOf(words: readonly string[]): string[] {
  return words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN).join(" "));
}

/** The runs of words that several files hold, each with these files. */
function sharedRuns(tests: readonly SourceText[]): Map<string, ReadonlySet<string>> {
  const holders = new Map<string, Set<string>>();
  for (const { file, text } of tests) {
    for (const literal of literalsOf(text)) {
      for (const run of runsOf(wordsOf(literal.text))) {
        const files = holders.get(run) ?? new Set();
        holders.set(run, files.add(file));
      }
    }
  }
  return new Map([...holders].filter(([, files]) => files.size > 1));
}

/** Runs that follow one another in the same files, as one text each. */
function joined(
  runs: readonly string[],
  shared: ReadonlyMap<string, ReadonlySet<string>>,
): Omit<Repetition, "product">[] {
  const found: { words: string; tests: string[]; end: number }[] = [];
  for (const [at, run] of runs.entries()) {
    const tests = [...(shared.get(run) ?? [])];
    const before = found.at(-1);
    if (before?.end === at && before.tests.join() === tests.join()) {
      before.words += run.slice(run.lastIndexOf(" "));
      before.end = at + 1;
    } else if (tests.length > 0) {
      found.push({ words: run, tests, end: at + 1 });
    }
  }
  return found;
}

/**
 * Words of the product's messages that more than one file of tests holds. Messages are strings and templates: a regular
 * expression of the product reads what others write. Tests hold words in either.
 */
export function repetitions(product: readonly SourceText[], tests: readonly SourceText[]): Repetition[] {
  const shared = sharedRuns(tests);
  return product.flatMap(({ file, text }) =>
    literalsOf(text)
      .filter(({ isPattern }) => !isPattern)
      .flatMap((literal) => joined(runsOf(wordsOf(literal.text)), shared))
      .map(({ words, tests: holders }) => ({ words, product: file, tests: holders })),
  );
}
