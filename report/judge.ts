import { MONTHLY_BUDGET, SERVICE_LEVEL } from "../names/rules";
import { type EnvironmentRun, PROJECT } from "../offline/environment";
import { evaluatePolicies } from "../policies/evaluate";
import { alertFacts } from "../stacks/alert-facts";
import { clusterFact } from "./cluster";
import { imagesByTag } from "./images-by-tag";
import { vulnerableReleases } from "./known-vulnerabilities";
import { publicNames } from "./public-names";
import type { PlanResult, ReportedViolation } from "./result";

/** What forbids a run's deployment or deserves a look: the planner's reasons and the policies'. */
export function judge({
  environment,
  plan,
  recording,
  secrets = [],
}: Pick<EnvironmentRun, "environment" | "plan" | "recording"> & Partial<Pick<EnvironmentRun, "secrets">>): Omit<
  PlanResult,
  "seconds"
> {
  const { environment: stack, stage } = plan;
  const verdict = evaluatePolicies(recording.resources, {
    project: PROJECT,
    stack,
    stage,
    publicNames: publicNames({ environment, plan }),
  });
  const capacity = plan.problems.map(
    ({ rule, severity, subject, message, fixes }): ReportedViolation => ({
      policy: rule,
      severity,
      resource: subject,
      message,
      ...(fixes && { fixes }),
    }),
  );
  const isSaid = ({ policy }: ReportedViolation) =>
    (policy === MONTHLY_BUDGET || policy === SERVICE_LEVEL) && capacity.some((problem) => problem.policy === policy);
  return {
    plan,
    cluster: clusterFact(environment, plan),
    alerts: alertFacts(environment, secrets),
    ...(environment.observability.prometheus === "present" && { prometheus: "present" as const }),
    resources: recording.resources,
    policies: { passed: verdict.passed, failed: verdict.failed },
    violations: [
      ...capacity,
      ...vulnerableReleases({ environment, plan, recording }),
      ...imagesByTag({ environment, plan, recording }),
      ...verdict.violations
        .filter((violation) => !isSaid(violation))
        .map((violation) => asOfModel(violation, plan.models)),
    ],
  };
}

/** Where policies read the published plan: the environment's file has models by name, not that object. */
const IN_PLAN = /^ConfigMap "[^"]*": data\["plan\.json"\]\.models\[(\d+)\]\.(?=\w)/;

/** A policy's finding, attributed to the model. */
export function asOfModel(
  violation: ReportedViolation,
  models: readonly { readonly name: string }[],
): ReportedViolation {
  const found = IN_PLAN.exec(violation.message);
  const model = found === null ? undefined : models[Number(found[1])];
  return found === null || model === undefined
    ? violation
    : { ...violation, resource: `models.${model.name}`, message: violation.message.slice(found[0].length) };
}
