import { lineOf } from "./io";

/** Collects mistakes of a command line. */
export interface Checks {
  /** Mistakes so far; readers append. */
  readonly problems: string[];
  /** A reader's result; undefined where it throws, with its message as a problem. */
  readonly checked: <T>(read: () => T) => T | undefined;
}

/**
 * A command line, "help", or all its problems.
 *
 * @param parse `parseArgs` with the command's options; if it throws, that is the only problem.
 * @param read converts the values, and reads the files they name.
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
