import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

/** Seed of the mutants that the project is measured with, chosen before the first of them was run. */
export const SEED_OF_RECORD = 20261126;

export interface Options {
  readonly seed: number;
  /** Mutants that pass the type check. */
  readonly count: number;
  /** Commit whose product and tests are run. */
  readonly tree: string;
  /** Commit from whose product the mutants are drawn. */
  readonly drawnFrom: string;
  /** Mutants at once, each with one process of tests. */
  readonly workers: number;
  /** Tests that a mutant meets alone, the nearest first, at most. */
  readonly files: number;
  /** After which no other of them begins. */
  readonly seconds: number;
}

export const USAGE = `Usage: npm run mutants -- [options]

  --seed <n>          draws the same mutants for the same number (default ${SEED_OF_RECORD}, the seed of record)
  --count <n>         how many, without those that the type check refuses (default 100)
  --tree <commit>     whose product and tests are run (default HEAD; what is not committed is not seen)
  --drawn-from <commit>  whose product they are drawn from (default: that of --tree)
  --workers <n>       mutants at once (default: one for each core)
  --files <n>         tests that a mutant meets alone at most, the nearest first (default 16)
  --seconds <n>       after which no other of them begins (default 60)
  -h, --help          this text
`;

/** @returns undefined where help is asked for. @throws Error for unknown options and for what is no whole number */
export function parseOptions(argv: readonly string[]): Options | undefined {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: text,
      count: text,
      tree: text,
      "drawn-from": text,
      workers: text,
      files: text,
      seconds: text,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    return undefined;
  }
  const number = (name: "seed" | "count" | "workers" | "files" | "seconds", byDefault: number) =>
    values[name] === undefined ? byDefault : wholeNumber(name, values[name]);
  const tree = values.tree ?? "HEAD";
  return {
    seed: number("seed", SEED_OF_RECORD),
    count: number("count", 100),
    tree,
    drawnFrom: values["drawn-from"] ?? tree,
    workers: number("workers", availableParallelism()),
    files: number("files", 16),
    seconds: number("seconds", 60),
  };
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d{1,12}$/.test(text) || value < 1) {
    throw new Error(`--${name} ${text}: a whole number from 1`);
  }
  return value;
}
