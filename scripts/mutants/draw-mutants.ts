import { setImmediate } from "node:timers/promises";
import { drawn, quotas } from "./draw";
import type { ImportGraph } from "./import-graph";
import { type Mutant, mutantsOf, mutated } from "./mutant";
import { productRooms } from "./product";
import { TypeCheck } from "./type-check";

/** A mutant, and the top folder that it counts for. */
export interface Drawn {
  readonly room: string;
  readonly mutant: Mutant;
}

export interface Draw {
  /** Mutants that pass the type check, room by room in the order in which they were drawn. */
  readonly mutants: readonly Drawn[];
  /** How many were drawn as well, and refused by it. */
  readonly refusedByTypes: number;
}

/** Draws mutants of a checkout: the same for the same seed, number and files. @param onDrawn receives each as it is found */
export async function drawMutants(
  root: string,
  graph: ImportGraph,
  { seed, count }: { readonly seed: number; readonly count: number },
  onDrawn: (mutant: Mutant) => void,
): Promise<Draw> {
  const rooms = productRooms(root);
  const quota = quotas(new Map(rooms.map(({ name, lines }) => [name, lines])), count);
  const check = new TypeCheck(root, graph);
  const mutants: Drawn[] = [];
  let refusedByTypes = 0;
  for (const { name, files } of rooms) {
    const texts = new Map(files.map(({ file, text }) => [file, text]));
    let left = quota.get(name) ?? 0;
    const all = left > 0 ? files.flatMap(({ file, text }) => mutantsOf(file, text)) : [];
    for (const mutant of drawn(all, seed, name)) {
      if (left === 0) {
        break;
      }
      // Minutes of nothing but type checks: signals get their turn.
      await setImmediate();
      if (!check.passes(mutant.file, mutated(texts.get(mutant.file) ?? "", [mutant]))) {
        refusedByTypes += 1;
        continue;
      }
      mutants.push({ room: name, mutant });
      onDrawn(mutant);
      left -= 1;
    }
  }
  // The caller copies the checkout next, without a pause.
  await setImmediate();
  return { mutants, refusedByTypes };
}
