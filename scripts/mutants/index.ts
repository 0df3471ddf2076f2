/**
 * `npm run mutants`: breaks the product in one place at a time and reports the mutants that no test on Node alone notices.
 *
 * Mutants are drawn by a seed, spread over the top folders by their lines of code; those that the type check refuses are drawn
 * again and counted apart. Each meets its nearest tests by imports, one process each, up to the first that fails; a test kills
 * only if it passes without the mutant. What is left goes into one checkout together and meets all other tests. The seed of
 * record, 20261126, was chosen before any of its mutants was run.
 *
 * Two commits are compared with the same mutants: `--drawn-from A --tree A`, then `--drawn-from A --tree B`. A mutant is found
 * again by its lines; where B has other code there it is left out and reported. Each commit meets its own tests: another's
 * expect another product.
 *
 * Not Stryker: docs/decisions/0030-mutants.md.
 *
 * Results are kept by commit in .cache/mutants: an interrupted run resumes. Mutants run in temporary copies of the commits,
 * which go at the end.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../names/message-of";
import { repositoryRoot } from "../../names/repository-root";
import { Copy, commitNamed } from "./copy";
import { type Draw, type Drawn, drawMutants } from "./draw-mutants";
import equivalents from "./equivalent.json";
import { ImportGraph } from "./import-graph";
import { Judge } from "./judge";
import { type Mutant, mutantsOf, mutated } from "./mutant";
import { type Options, parseOptions, USAGE } from "./options";
import { typeScriptFiles } from "./product";
import { type Equivalent, placeOf, reportText, verdictText } from "./report";
import { Results, type Verdict } from "./results";
import { endTests } from "./run-tests";
import { testFiles } from "./test-files";
import { TypeCheck } from "./type-check";

const repository = repositoryRoot();
const kept = join(repository, ".cache", "mutants");
const say = (text: string) => process.stderr.write(`${text}\n`);

/** Copies that exist, to be removed whatever happens. */
const copies: Copy[] = [];

function copyOf(commit: string): Copy {
  const copy = new Copy(repository, commit);
  copies.push(copy);
  return copy;
}

function cleanUp(): void {
  endTests();
  for (const copy of copies.splice(0)) {
    copy.remove();
  }
}

/** Of the files that a draw depends on: a change of the script draws again. */
function scriptDigest(): string {
  const files = typeScriptFiles(repository, "scripts/mutants");
  const text = files.map((file) => readFileSync(join(repository, file), "utf8")).join("\n");
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** Drawn once for each commit, seed, number and version of this script: it takes a minute or two. */
async function drawFrom(commit: string, options: Options): Promise<Draw> {
  const name = `drawn-${commit.slice(0, 12)}-${options.seed}-${options.count}-${scriptDigest()}.json`;
  const file = join(kept, name);
  if (existsSync(file)) {
    return JSON.parse(readFileSync(file, "utf8")) as Draw;
  }
  const copy = copyOf(commit);
  const { root } = copy;
  let found = 0;
  const draw = await drawMutants(root, ImportGraph.of(root), options, (mutant) => {
    found += 1;
    say(`drawn ${found}/${options.count}: ${placeOf(mutant)}`);
  });
  copy.remove();
  mkdirSync(kept, { recursive: true });
  writeFileSync(file, JSON.stringify(draw));
  return draw;
}

/** The mutants as they are in a tree; a verdict is kept on those that are not there, or do not pass its type check. */
function locate(draw: Draw, copy: Copy, graph: ImportGraph, results: Results, isDrawnTree: boolean): Mutant[] {
  const check = isDrawnTree ? undefined : new TypeCheck(copy.root, graph);
  return draw.mutants.flatMap(({ mutant: { id, file } }) => {
    const text = copy.read(file) ?? "";
    const mutant = mutantsOf(file, text).find((one) => one.id === id);
    const outcome = !mutant ? "not in tree" : check && !check.passes(file, mutated(text, [mutant])) ? "type error" : "";
    if (outcome !== "") {
      results.add({ mutant: id, verdict: { outcome } });
    }
    return mutant && outcome === "" ? [mutant] : [];
  });
}

async function run(options: Options): Promise<string> {
  const [tree, drawnFrom] = [commitNamed(options.tree, repository), commitNamed(options.drawnFrom, repository)];
  const draw = await drawFrom(drawnFrom, options);
  const results = new Results(join(kept, `results-${tree.slice(0, 12)}.jsonl`));
  const copy = copyOf(tree);
  const graph = ImportGraph.of(copy.root);
  const mutants = locate(draw, copy, graph, results, tree === drawnFrom);
  const rest = (outcome?: Verdict["outcome"]) => mutants.filter(({ id }) => results.verdictOn(id)?.outcome === outcome);
  const judge = new Judge({
    ...options,
    tests: testFiles(copy),
    graph,
    results,
    onProgress: say,
    onVerdict: (mutant, verdict) => {
      const done = mutants.length - rest().length;
      say(`${done}/${mutants.length} ${verdictText({ verdict })}: ${placeOf(mutant)}`);
    },
  });
  const open = rest();
  const worker = async (own: Copy) => {
    for (let mutant = open.shift(); mutant; mutant = open.shift()) {
      await judge.alone(mutant, own);
    }
  };
  const others = Array.from({ length: Math.min(options.workers, open.length) - 1 }, () => copyOf(tree));
  await Promise.all([copy, ...others].map(worker));
  const passed = rest("passed nearest");
  say(`${passed.length} passed their nearest tests; together they meet all others`);
  await judge.together(passed, copy, options.workers);
  return reportText({
    title: `Mutants of seed ${options.seed}, drawn from ${drawnFrom.slice(0, 12)}, in ${tree.slice(0, 12)}`,
    judged: draw.mutants.map((one) => ({ ...one, ...judgement(one, results) })),
    refusedByTypes: draw.refusedByTypes,
    failingClean: results.failingClean(),
  });
}

function judgement({ mutant: { id, file } }: Drawn, results: Results) {
  const equivalent = (equivalents as readonly Equivalent[]).find((one) => one.id === id && one.file === file)?.because;
  const verdict = results.verdictOn(id);
  if (!verdict) {
    throw new Error(`no verdict on ${id} of ${file}`);
  }
  return { verdict, ...(equivalent && { equivalent }) };
}

/** Undefined where nothing is to be run. */
function readOptions(): Options | undefined {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options === undefined) {
      process.stdout.write(USAGE);
    }
    return options;
  } catch (error) {
    say(messageOf(error));
    process.exitCode = 2;
    return undefined;
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  if (!options) {
    return;
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      cleanUp();
      process.exit(130);
    });
  }
  try {
    process.stdout.write(await run(options));
  } finally {
    cleanUp();
  }
}

main().catch((error: unknown) => {
  say(messageOf(error));
  process.exitCode = 1;
});
