import { type EnvironmentRun, PROJECT } from "../offline/environment";
import { evaluatePolicies } from "../policies/evaluate";
import type { PlanResult, ReportedViolation } from "./result";

/** What forbids a run's deployment or deserves a look: the planner's reasons and the policies'. */
export function judge({ plan, recording }: Pick<EnvironmentRun, "plan" | "recording">): Omit<PlanResult, "seconds"> {
  const { environment: stack, stage } = plan;
  const verdict = evaluatePolicies(recording.resources, { project: PROJECT, stack, stage });
  const capacity = plan.problems.map(
    ({ rule, severity, subject, message, fixes }): ReportedViolation => ({
      policy: rule,
      severity,
      resource: subject,
      message,
      ...(fixes && { fixes }),
    }),
  );
  // The budget is judged twice, by the planner and by the policy of the same name: say it once.
  const said = new Set(capacity.map((v) => v.policy));
  return {
    plan,
    resources: recording.resources,
    policies: { passed: verdict.passed, failed: verdict.failed },
    violations: [...capacity, ...verdict.violations.filter((v) => !said.has(v.policy))],
  };
}
