import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { importsOf } from "../../test/architecture/imports";
import { typeScriptFiles } from "./product";

/** Who imports whom in a checkout, by path from its root. */
export class ImportGraph {
  private readonly importers = new Map<string, Set<string>>();
  private readonly typeImporters = new Map<string, Set<string>>();

  /** @param imports of each file: values, and types alone */
  constructor(imports: Iterable<readonly [file: string, target: string, isType: boolean]>) {
    for (const [file, target, isType] of imports) {
      const edges = isType ? this.typeImporters : this.importers;
      edges.set(target, (edges.get(target) ?? new Set()).add(file));
    }
  }

  static of(root: string): ImportGraph {
    return new ImportGraph(typeScriptFiles(root).flatMap((file) => edgesOf(file, root)));
  }

  /** Files that import this one, be it types alone. */
  importersOf(file: string): readonly string[] {
    return [...(this.importers.get(file) ?? []), ...(this.typeImporters.get(file) ?? [])];
  }

  /** Files that load this one when they run, by the number of imports between. */
  distancesTo(file: string): ReadonlyMap<string, number> {
    const found = new Map([[file, 0]]);
    // A map is walked in the order of its entries, those that are added on the way as well: breadth first.
    for (const [at, distance] of found) {
      for (const importer of this.importers.get(at) ?? []) {
        if (!found.has(importer)) {
          found.set(importer, distance + 1);
        }
      }
    }
    return found;
  }

  /**
   * Tests that load a file, the nearest first: one of its name, then by the number of imports between, then by how much of the
   * path is the same (`planner/model/x.ts`, `test/planner/model/y.test.ts`).
   */
  nearestTests(file: string, tests: readonly string[]): string[] {
    const distances = this.distancesTo(file);
    return tests
      .flatMap((test) => {
        const distance = distances.get(test);
        const own = basename(test) === basename(file).replace(/\.ts$/, ".test.ts");
        return distance === undefined ? [] : [{ test, distance: own ? 0 : distance, same: sameFolders(file, test) }];
      })
      .sort((a, b) => a.distance - b.distance || b.same - a.same || (a.test < b.test ? -1 : 1))
      .map(({ test }) => test);
  }
}

function sameFolders(file: string, test: string): number {
  const folders = dirname(file).split("/");
  const others = dirname(test).split("/").slice(1);
  const different = folders.findIndex((folder, i) => folder !== others[i]);
  return different < 0 ? folders.length : different;
}

function edgesOf(file: string, root: string): [file: string, target: string, isType: boolean][] {
  const text = readFileSync(join(root, file), "utf8");
  const imports = importsOf(file, text, root).filter(({ isPackage }) => !isPackage);
  return [
    ...imports.map(({ target, isType }): [string, string, boolean] => [file, target, isType]),
    ...startedBy(file, text, root).map((target): [string, string, boolean] => [file, target, false]),
  ];
}

/** What a file starts or reads by its path: the command line, whose bundle is made of `cli/main.ts`, and scripts of pods. */
function startedBy(file: string, text: string, root: string): string[] {
  const scripts = [...text.matchAll(/"([\w-]+\.ts)"/g)]
    .map(([, name = ""]) => join(dirname(file), "scripts", name))
    .filter((script) => existsSync(join(root, script)));
  return [...(/\brun\.mjs\b/.test(text) ? ["cli/main.ts"] : []), ...scripts];
}
