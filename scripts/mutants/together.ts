/** Distinguishes mutants in one checkout by the tests that fail there. */
export interface Trial<M> {
  /** Tests of these that fail with all of these mutants. */
  readonly failing: (mutants: readonly M[], tests: readonly string[]) => Promise<readonly string[]>;
  readonly passesClean: (test: string) => Promise<boolean>;
  /** Number of imports from the test to what is mutated; undefined without a way. */
  readonly distance: (mutant: M, test: string) => number | undefined;
}

export interface Kill<M> {
  readonly mutant: M;
  readonly by: string;
}

/**
 * Runs tests with many mutants at once, and finds by halves which of them each failing test kills. Tests that several of them
 * fail only together kill none.
 */
export async function* killsTogether<M>(
  mutants: readonly M[],
  tests: readonly string[],
  trial: Trial<M>,
): AsyncGenerator<Kill<M>> {
  let [alive, open] = [[...mutants], [...tests]];
  while (alive.length > 0 && open.length > 0) {
    const failing: string[] = [];
    for (const test of await trial.failing(alive, open)) {
      if (await trial.passesClean(test)) {
        failing.push(test);
      }
    }
    const killed: M[] = [];
    const unexplained: string[] = [];
    for (const test of failing) {
      // A mutant that was just found may be why this test fails as well: the next round decides.
      if (killed.some((mutant) => trial.distance(mutant, test) !== undefined)) {
        continue;
      }
      const mutant = await killerOf(test, alive, trial);
      if (mutant !== undefined) {
        killed.push(mutant);
        alive = alive.filter((other) => other !== mutant);
        yield { mutant, by: test };
      } else if (killed.length === 0) {
        unexplained.push(test);
      }
    }
    open = failing.filter((test) => !unexplained.includes(test));
  }
}

/** One of the mutants with which alone the test fails; undefined where it takes several. */
async function killerOf<M>(test: string, mutants: readonly M[], trial: Trial<M>): Promise<M | undefined> {
  const order = (mutant: M) => trial.distance(mutant, test) ?? Number.MAX_SAFE_INTEGER;
  const fails = async (some: readonly M[]) => (await trial.failing(some, [test])).length > 0;
  let suspects = [...mutants].sort((a, b) => order(a) - order(b));
  let isSeen = false;
  while (suspects.length > 1) {
    const nearest = suspects.slice(0, Math.ceil(suspects.length / 2));
    isSeen = await fails(nearest);
    suspects = isSeen ? nearest : suspects.slice(nearest.length);
  }
  return isSeen || (await fails(suspects)) ? suspects[0] : undefined;
}
