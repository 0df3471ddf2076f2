/** What a run of tests is asked for. */
export interface TestRequest {
  /** Of the checkout. */
  readonly root: string;
  /** Tests by path from the root, in the order in which they run. */
  readonly files: readonly string[];
  /** Processes at once. */
  readonly workers: number;
}

/** What it reports, message by message. */
export type TestMessage =
  /** A file begins: what hangs or ends the process after it is its doing. */
  | { readonly kind: "begins"; readonly file: string }
  /** `doubtful`: it ran out of time, or no test of it failed; a busy machine may be the reason. */
  | { readonly kind: "fails"; readonly file: string; readonly doubtful: boolean }
  | { readonly kind: "ends"; readonly file: string }
  /** Nothing follows. `hasErrors`: something failed, be it in no test. */
  | { readonly kind: "done"; readonly hasErrors: boolean };
