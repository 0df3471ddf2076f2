import type { Asked, ClusterFacts } from "../facts";
import type { Needs } from "../needs";
import type { CheckResult, CheckStatus } from "../result";

/** Pure judgement of a cluster's facts. */
export type Check = (facts: ClusterFacts, needs: Needs) => readonly CheckResult[];

export type Subject = Pick<CheckResult, "check" | "title" | "needed">;

export interface Verdict {
  readonly status: CheckStatus;
  readonly found: string;
  readonly remedies?: readonly string[];
}

/** Unknown facts are not judged. */
export function judged<T>(subject: Subject, fact: Asked<T>, judge: (value: T) => Verdict): CheckResult {
  const verdict: Verdict = fact.known
    ? judge(fact.value)
    : {
        status: "unknown",
        found: `not known: ${fact.reason}`,
        remedies: fact.forbidden
          ? ["run doctor as a user who can read the whole cluster; kubectl auth whoami shows the current one"]
          : ["run doctor again; where it stays, kubectl may show more: kubectl get --raw /readyz?verbose"],
      };
  return { ...subject, remedies: [], ...verdict };
}

export const passed = (found: string): Verdict => ({ status: "passed", found });
export const warning = (found: string, ...remedies: readonly string[]): Verdict => ({
  status: "warning",
  found,
  remedies,
});
export const failed = (found: string, ...remedies: readonly string[]): Verdict => ({
  status: "failed",
  found,
  remedies,
});
export const unknown = (found: string, ...remedies: readonly string[]): Verdict => ({
  status: "unknown",
  found,
  remedies,
});
