import type { Copy } from "./copy";
import type { ImportGraph } from "./import-graph";
import type { Mutant } from "./mutant";
import type { Results, Verdict } from "./results";
import { runTests } from "./run-tests";
import { killsTogether, type Trial } from "./together";

/** Tests of a run with many mutants: one that is cut off loses no more. */
const TOGETHER = 100;

export interface JudgeOptions {
  /** By path from the root. */
  readonly tests: readonly string[];
  readonly graph: ImportGraph;
  readonly results: Results;
  readonly files: number;
  readonly seconds: number;
  /** Reports each verdict. */
  readonly onVerdict: (mutant: Mutant, verdict: Verdict) => void;
  readonly onProgress: (text: string) => void;
}

/** Runs tests against mutants of one commit and keeps the verdicts. */
export class Judge {
  /** Under way, so that two copies do not run the same test. */
  private readonly clean = new Map<string, Promise<boolean>>();

  constructor(private readonly options: JudgeOptions) {}

  /** A mutant alone against its nearest tests, up to the first that it fails and that passes without it. */
  async alone(mutant: Mutant, copy: Copy): Promise<void> {
    const { graph, tests, results, files, seconds } = this.options;
    const nearest = graph.nearestTests(mutant.file, tests).slice(0, files);
    const ends = Date.now() + seconds * 1000;
    for (;;) {
      const open = nearest.filter(
        (test) => results.passesClean(test) !== false && !results.passedBy(mutant.id).has(test),
      );
      copy.apply([mutant]);
      const left = Math.max(0, ends - Date.now()) / 1000;
      const { failed, passed, doubtful } = await runTests(copy, open, {
        workers: 1,
        stopsAtFailure: true,
        seconds: left,
      });
      results.add({ mutants: [mutant.id], pass: passed });
      const [by] = failed;
      if (by === undefined) {
        this.decide(mutant, { outcome: "passed nearest" });
        return;
      }
      const isClean = await this.passesClean(by, copy);
      if (isClean && (!doubtful || (await this.failsAgain(by, mutant, copy)))) {
        this.decide(mutant, { outcome: "killed", by });
        return;
      }
    }
  }

  /** Those that passed their nearest tests, in one checkout against all others. Those that are still alive have survived. */
  async together(mutants: readonly Mutant[], copy: Copy, workers: number): Promise<void> {
    const { graph, tests, results, onProgress } = this.options;
    for (const group of apart(mutants)) {
      const distances = new Map(group.map((mutant) => [mutant, graph.distancesTo(mutant.file)]));
      const trial: Trial<Mutant> = {
        failing: (some, files) => {
          copy.apply(some);
          return allFailing(copy, files, workers);
        },
        passesClean: (test) => this.passesClean(test, copy),
        distance: (mutant, test) => distances.get(mutant)?.get(test),
      };
      let alive = group;
      const open = tests.filter((test) => !group.every(({ id }) => results.passedBy(id).has(test)));
      for (let at = 0; at < open.length && alive.length > 0; at += TOGETHER) {
        onProgress(`${alive.length} mutants together: ${at} of ${open.length} tests`);
        const some = open.slice(at, at + TOGETHER);
        for await (const { mutant, by } of killsTogether(alive, some, trial)) {
          this.decide(mutant, { outcome: "killed", by });
          alive = alive.filter((other) => other !== mutant);
        }
        results.add({ mutants: alive.map(({ id }) => id), pass: some });
      }
      for (const mutant of alive) {
        this.decide(mutant, { outcome: "survived" });
      }
    }
  }

  private decide(mutant: Mutant, verdict: Verdict): void {
    this.options.results.add({ mutant: mutant.id, verdict });
    this.options.onVerdict(mutant, verdict);
  }

  /** A test that ran out of time may have met a busy machine. */
  private async failsAgain(test: string, mutant: Mutant, copy: Copy): Promise<boolean> {
    copy.apply([mutant]);
    const { passed } = await runTests(copy, [test], { workers: 1 });
    this.options.results.add({ mutants: [mutant.id], pass: passed });
    return passed.length === 0;
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
