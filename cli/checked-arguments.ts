import { lineOf } from "./io";

/** Collects what is wrong with a command line while it is read. */
export interface Checks {
  /** Mistakes so far; readers add their own. */
  readonly problems: string[];
  /** What a reader returns; undefined where it throws, whose message is a problem then. */
  readonly checked: <T>(read: () => T) => T | undefined;
}

/**
 * A command line, "help", or every problem with it.
 *
 * @param parse `parseArgs` with the command's own options; what it throws is the only problem.
 * @param read makes the command's arguments of that. Files that they name are read.
 */
export function checkedArguments<
  Parsed extends { readonly values: { readonly help?: boolean | undefined } },
  Arguments,
>(
  parse: () => Parsed,
  read: (parsed: Parsed, checks: Checks) => Arguments,
): Arguments | "help" | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const checked = <T>(reader: () => T): T | undefined => {
    try {
      return reader();
    } catch (error) {
      problems.push(lineOf(error));
      return undefined;
    }
  };
  const parsed = checked(parse);
  if (parsed === undefined) {
    return { problems };
  }
  if (parsed.values.help) {
    return "help";
  }
  const result = read(parsed, { problems, checked });
  return problems.length > 0 ? { problems } : result;
}
