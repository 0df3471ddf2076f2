/** A step that does not apply has not passed. */
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
  /** One line: figures, or the reason for not running. */
  readonly detail: string;
  readonly failure?: Explanation;
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** Success; failures throw `StepFailure`. */
export interface StepOutcome {
  readonly status?: Exclude<StepStatus, "failed">;
  readonly detail: string;
  readonly figures?: Readonly<Record<string, unknown>>;
}

export class StepFailure extends Error {
  constructor(readonly explanation: Explanation) {
    super(`expected ${explanation.expected}, got ${explanation.got}`);
  }
}

export interface SmokeReport {
  readonly url: string;
  readonly controlUrl?: string;
  readonly model?: string;
  /** Used for pull, unload and stop; undefined without. */
  readonly lifecycle?: string;
  /** Notes such as a fallback. */
  readonly notes: readonly string[];
  readonly steps: readonly StepResult[];
}

export function hasFailed({ steps }: Pick<SmokeReport, "steps">): boolean {
  return steps.some(({ status }) => status === "failed");
}
