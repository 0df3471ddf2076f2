/** Why a chart could not be had, and what to do about it. Many charts may share a fix. */
export interface ChartProblem {
  readonly message: string;
  /** A sentence without "Fix:". */
  readonly fix: string;
}

/** A chart that could not be had. */
export class ChartUnavailableError extends Error implements ChartProblem {
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

/** @returns the lines of messages, with each fix once, below the problems that it fixes. */
export function problemLines(problems: readonly ChartProblem[]): string[] {
  const fixes = [...new Set(problems.map(({ fix }) => fix))];
  return fixes.flatMap((fix) => [
    ...problems.filter((problem) => problem.fix === fix).map(({ message }) => message),
    `Fix: ${fix}`,
  ]);
}
