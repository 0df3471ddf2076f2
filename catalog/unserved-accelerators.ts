/** Known accelerators without engine support: such names are no typing errors. */
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

/** @param name of a shape or card; undefined if none of these. */
export function unservedAccelerator(name: string): UnservedAccelerator | undefined {
  return accelerators.find(({ pattern }) => pattern.test(name));
}
