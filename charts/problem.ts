/** Why a chart is unavailable, and the fix, which charts may share. */
export interface ChartProblem {
  readonly message: string;
  /** A sentence without "Fix:". */
  readonly fix: string;
}

export class ChartUnavailableError extends Error implements ChartProblem {
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

/** @returns message lines, with each fix once below its problems. */
export function problemLines(problems: readonly ChartProblem[]): string[] {
  const fixes = [...new Set(problems.map(({ fix }) => fix))];
  return fixes.flatMap((fix) => [
    ...problems.filter((problem) => problem.fix === fix).map(({ message }) => message),
    `Fix: ${fix}`,
  ]);
}
