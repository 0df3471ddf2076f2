/** Accelerators that people ask for and no engine here runs on: a name of theirs is no slip of the pen. */
import table from "./unserved-accelerators.json";

export interface UnservedAccelerator {
  readonly accelerator: string;
  /** What would have to be there. */
  readonly why: string;
}

const accelerators = table.accelerators.map(({ accelerator, why, names }) => ({
  accelerator,
  why,
  pattern: new RegExp(`^(?:${names.join("|")})$`, "i"),
}));

/** @param name of a machine shape or of a card; undefined where it is none of theirs. */
export function unservedAccelerator(name: string): UnservedAccelerator | undefined {
  return accelerators.find(({ pattern }) => pattern.test(name));
}
