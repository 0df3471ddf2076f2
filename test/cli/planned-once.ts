import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Judging, judged } from "../../cli/plan";
import { repositoryRoot } from "../../names/repository-root";
import { frozen } from "../harness/frozen";

const plans = new Map<string, ReturnType<Judging>>();

/** Plans equal environments once for all tests of a worker: commands differ in what they print of a plan. */
export const judgedOnce: Judging = (environment) => {
  const { name, baseDirectory, file } = environment;
  const key = JSON.stringify([name, baseDirectory, filesIn(baseDirectory), file.config, file.secretKeys]);
  const found = plans.get(key) ?? judged(environment).then(frozen);
  plans.set(key, found);
  // Messages about mistakes name the file.
  found.catch(() => plans.delete(key));
  return found;
};

/** What an environment may name, and a test change; tests change nothing of the repository. */
function filesIn(folder: string): readonly (readonly [string, number, number])[] {
  if (folder === repositoryRoot()) {
    return [];
  }
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => {
    const { mtimeMs, size } = lstatSync(join(folder, path));
    return [path, mtimeMs, size];
  });
}
