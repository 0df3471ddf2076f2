import type { Copy } from "./copy";
import type { ImportGraph } from "./import-graph";
import type { Mutant } from "./mutant";
import type { Results } from "./results";
import { runTests } from "./run-tests";
import { killsTogether } from "./together";

export interface JudgeOptions {
  /** By path from the root. */
  readonly tests: readonly string[];
  readonly graph: ImportGraph;
  readonly results: Results;
  readonly files: number;
  readonly seconds: number;
  /** Reports each verdict. */
  readonly onVerdict: (mutant: Mutant) => void;
}

/** Runs tests against mutants of one commit and keeps the verdicts. */
export class Judge {
  /** Under way, so that two copies do not run the same test. */
  private readonly clean = new Map<string, Promise<boolean>>();

  constructor(private readonly options: JudgeOptions) {}

  /** A mutant alone against its nearest tests, up to the first that it fails and that passes without it. */
  async alone(mutant: Mutant, copy: Copy): Promise<void> {
    const { graph, tests, results, files, seconds, onVerdict } = this.options;
    let open = graph.nearestTests(mutant.file, tests).slice(0, files);
    const ran: string[] = [];
    const ends = Date.now() + seconds * 1000;
    const bounds = () => ({ workers: 1, stopsAtFailure: true, seconds: Math.max(0, ends - Date.now()) / 1000 });
    for (;;) {
      open = open.filter((test) => results.passesClean(test) !== false);
      copy.apply([mutant]);
      const { failed, passed } = await runTests(copy, open, bounds());
      ran.push(...passed);
      const [by] = failed;
      if (by === undefined || (await this.passesClean(by, copy))) {
        const verdict =
          by === undefined ? ({ outcome: "passed nearest", ran } as const) : ({ outcome: "killed", by } as const);
        results.add({ mutant: mutant.id, verdict });
        onVerdict(mutant);
        return;
      }
      open = open.filter((test) => !ran.includes(test));
    }
  }

  /** Those that passed their nearest tests, in one checkout against all others. Those that are still alive have survived. */
  async together(mutants: readonly Mutant[], copy: Copy, workers: number): Promise<void> {
    const { graph, tests, results, onVerdict } = this.options;
    for (const group of apart(mutants)) {
      const distances = new Map(group.map((mutant) => [mutant, graph.distancesTo(mutant.file)]));
      const kills = killsTogether(
        group,
        tests.filter((test) => !group.every((one) => this.ran(one).includes(test))),
        {
          failing: (some, files) => {
            copy.apply(some);
            return allFailing(copy, files, workers);
          },
          passesClean: (test) => this.passesClean(test, copy),
          distance: (mutant, test) => distances.get(mutant)?.get(test),
        },
      );
      for await (const { mutant, by } of kills) {
        results.add({ mutant: mutant.id, verdict: { outcome: "killed", by } });
        onVerdict(mutant);
      }
      for (const mutant of group.filter(({ id }) => results.verdictOn(id)?.outcome === "passed nearest")) {
        results.add({ mutant: mutant.id, verdict: { outcome: "survived" } });
        onVerdict(mutant);
      }
    }
  }

  private ran({ id }: Mutant): readonly string[] {
    const verdict = this.options.results.verdictOn(id);
    return verdict?.outcome === "passed nearest" ? verdict.ran : [];
  }

  /** Whether a test passes without mutants, which leave the copy for it. */
  private passesClean(test: string, copy: Copy): Promise<boolean> {
    const { results } = this.options;
    const known = results.passesClean(test);
    const found = known === undefined ? this.clean.get(test) : Promise.resolve(known);
    if (found) {
      return found;
    }
    copy.apply([]);
    const passes = runTests(copy, [test], { workers: 1 }).then(({ failed }) => failed.length === 0);
    this.clean.set(test, passes);
    return passes.then((is) => {
      results.add({ test, passes: is });
      return is;
    });
  }
}

/** A hanging test ends its run: the others run again without it. */
async function allFailing(copy: Copy, tests: readonly string[], workers: number): Promise<string[]> {
  const failing = new Set<string>();
  for (let open = [...tests]; open.length > 0; ) {
    const { failed, passed } = await runTests(copy, open, { workers });
    for (const test of failed) {
      failing.add(test);
    }
    open = open.filter((test) => !failing.has(test) && !passed.includes(test));
  }
  return [...failing];
}

/** Groups without two mutants that change the same characters. */
export function apart(mutants: readonly Mutant[]): Mutant[][] {
  const groups: Mutant[][] = [];
  for (const mutant of mutants) {
    const free = groups.find((group) => !group.some((other) => overlap(mutant, other)));
    if (free) {
      free.push(mutant);
    } else {
      groups.push([mutant]);
    }
  }
  return groups;
}

function overlap(a: Mutant, b: Mutant): boolean {
  return a.file === b.file && a.start <= b.end && b.start <= a.end;
}
