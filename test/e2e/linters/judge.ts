import type { LinterException } from "./exceptions";
import type { Finding } from "./finding";

export interface Verdict {
  /** Findings that no exception names. */
  readonly standing: readonly Finding[];
  /** Exceptions that name no finding: what they excused is mended, or was never there. */
  readonly stale: readonly LinterException[];
}

/** Takes the exceptions' findings out. */
export function judge(findings: readonly Finding[], exceptions: readonly LinterException[]): Verdict {
  const excuses = ({ linter, check, objects }: LinterException, finding: Finding): boolean =>
    finding.linter === linter && finding.check === check && objects.test(finding.object);
  return {
    standing: findings.filter((finding) => !exceptions.some((exception) => excuses(exception, finding))),
    stale: exceptions.filter((exception) => !findings.some((finding) => excuses(exception, finding))),
  };
}
