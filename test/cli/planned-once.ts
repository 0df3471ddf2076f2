import { type Judging, judged } from "../../cli/plan";
import { frozen } from "../harness/frozen";

const plans = new Map<string, ReturnType<Judging>>();

/** Plans equal environments once for all tests of a worker: commands differ in what they print of a plan. */
export const judgedOnce: Judging = (environment) => {
  const { name, baseDirectory, file } = environment;
  const key = JSON.stringify([name, baseDirectory, file.config, file.secretKeys]);
  const found = plans.get(key) ?? judged(environment).then(frozen);
  plans.set(key, found);
  // Messages about mistakes name the file.
  found.catch(() => plans.delete(key));
  return found;
};
