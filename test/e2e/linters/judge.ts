import type { LinterException } from "./exceptions";
import type { Finding } from "./finding";

export interface Verdict<L extends string> {
  /** Findings that no exception names. */
  readonly standing: readonly Finding<L>[];
  /** Exceptions that name no finding: what they excused is mended, or was never there. */
  readonly stale: readonly LinterException<L>[];
}

/** Takes the exceptions' findings out. */
export function judge<L extends string>(
  findings: readonly Finding<L>[],
  exceptions: readonly LinterException<L>[],
): Verdict<L> {
  const excuses = ({ linter, check, objects }: LinterException<L>, finding: Finding<L>): boolean =>
    finding.linter === linter && finding.check === check && objects.test(finding.object);
  return {
    standing: findings.filter((finding) => !exceptions.some((exception) => excuses(exception, finding))),
    stale: exceptions.filter((exception) => !findings.some((finding) => excuses(exception, finding))),
  };
}
