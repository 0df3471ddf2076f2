import type { Extent } from "./extent";
import type { Table } from "./table";

export interface Measured {
  readonly tables: readonly Table[];
  /** Every measurement, in seconds and bytes, for `--json`. */
  readonly measurements: object;
  /** What `--json` writes in the place of everything, where this group alone is measured: answers that programs read. */
  readonly answer?: readonly object[];
  /** What must not be: one sentence each. Any of them makes the command fail. */
  readonly failures?: readonly string[];
}

/** Measurements that belong together and are asked for by one name. */
export interface Group {
  /** @throws Error when something cannot be measured, for example because a part is missing. */
  readonly measure: (extent: Extent, progress: (text: string) => void) => Promise<Measured>;
}
