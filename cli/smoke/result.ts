/** What became of a step. A step that does not apply has not passed. */
export type StepStatus = "passed" | "failed" | "skipped" | "not applicable";

export interface Explanation {
  readonly expected: string;
  readonly got: string;
  readonly lookAt: string;
}

export interface StepResult {
  readonly name: string;
  readonly status: StepStatus;
  readonly seconds: number;
  /** One line: figures of a step that passed, the reason of one that did not run. */
  readonly detail: string;
  readonly failure?: Explanation;
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** What a step returns when it does not fail; it fails by throwing `StepFailure`. */
export interface StepOutcome {
  readonly status?: Exclude<StepStatus, "failed">;
  readonly detail: string;
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** A check that did not hold. */
export class StepFailure extends Error {
  constructor(readonly explanation: Explanation) {
    super(`expected ${explanation.expected}, got ${explanation.got}`);
  }
}

export interface SmokeReport {
  readonly url: string;
  readonly controlUrl?: string;
  readonly model?: string;
  /** Who pulled, unloaded and stopped; undefined where nobody can. */
  readonly lifecycle?: string;
  /** What the reader must know beside the steps, such as a fallback. */
  readonly notes: readonly string[];
  readonly steps: readonly StepResult[];
}

export function hasFailed({ steps }: Pick<SmokeReport, "steps">): boolean {
  return steps.some(({ status }) => status === "failed");
}
