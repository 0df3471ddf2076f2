import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** What became of a mutant. */
export type Verdict =
  | { readonly outcome: "killed" /** A test. */; readonly by: string }
  | { readonly outcome: "survived" }
  /** Its nearest tests pass; those of all others are still to run. */
  | { readonly outcome: "passed nearest" }
  /** The type check refuses it in this tree. */
  | { readonly outcome: "type error" }
  /** The tree has other code there. */
  | { readonly outcome: "not in tree" };

type Line =
  | { readonly mutant: string; readonly verdict: Verdict }
  /** Tests that pass with all of these mutants in one checkout. */
  | { readonly mutants: readonly string[]; readonly pass: readonly string[] }
  /** Whether a test passes without mutants. */
  | { readonly test: string; readonly passes: boolean };

/** What is known of one commit, a line of JSON each, so that an interrupted run resumes. Later lines hold. */
export class Results {
  private readonly verdicts = new Map<string, Verdict>();
  private readonly passed = new Map<string, Set<string>>();
  private readonly clean = new Map<string, boolean>();

  constructor(private readonly file: string) {
    mkdirSync(dirname(file), { recursive: true });
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (!/(^|\n)$/.test(text)) {
      appendFileSync(file, "\n");
    }
    for (const line of text.split("\n")) {
      const read = parsed(line);
      if (read) {
        this.take(read);
      }
    }
  }

  verdictOn(mutant: string): Verdict | undefined {
    return this.verdicts.get(mutant);
  }

  /** Tests that pass with a mutant, alone or together with others. */
  passedBy(mutant: string): ReadonlySet<string> {
    return this.passed.get(mutant) ?? new Set();
  }

  /** Undefined: never run without mutants. */
  passesClean(test: string): boolean | undefined {
    return this.clean.get(test);
  }

  /** Tests that fail without any mutant, and so kill none. */
  failingClean(): string[] {
    return [...this.clean].flatMap(([test, passes]) => (passes ? [] : [test])).sort();
  }

  add(line: Line): void {
    this.take(line);
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  private take(line: Line): void {
    if ("mutant" in line) {
      this.verdicts.set(line.mutant, line.verdict);
    } else if ("mutants" in line) {
      for (const mutant of line.mutants) {
        this.passed.set(mutant, new Set([...this.passedBy(mutant), ...line.pass]));
      }
    } else {
      this.clean.set(line.test, line.passes);
    }
  }
}

/** Undefined for the end of a line that was cut off. */
function parsed(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
