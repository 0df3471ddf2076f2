import type { Table } from "./table";

/** How often things are measured; more rounds make medians that one busy moment does not move. */
export interface Rounds {
  /** Measurements of each alternative, which take turns within a round. */
  readonly comparisons: number;
  /** Measurements of each size. */
  readonly growth: number;
}

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
  readonly measure: (rounds: Rounds, progress: (text: string) => void) => Promise<Measured>;
}
