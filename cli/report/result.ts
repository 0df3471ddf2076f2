import { type PlanSummary, summarize } from "../../planner/summary";
import type { DeploymentPlan } from "../../planner/types";
import type { RecordedResource } from "../offline/run";

/** Something that forbids the deployment (`mandatory`) or deserves a look (`advisory`). */
export interface ReportedViolation {
  readonly policy: string;
  readonly severity: "mandatory" | "advisory";
  /** URN of a resource, or the path in the configuration that a capacity rule judged. */
  readonly resource: string;
  readonly message: string;
}

/** All that a run of `plan` found out. */
export interface PlanResult {
  readonly plan: DeploymentPlan;
  readonly resources: readonly RecordedResource[];
  readonly policies: { readonly passed: number; readonly failed: number };
  readonly violations: readonly ReportedViolation[];
  readonly seconds: number;
}

/** `plan --json`: keys that others rely on. */
export interface PlanJson extends PlanSummary {
  readonly deployable: boolean;
  readonly policies: PlanResult["policies"];
  readonly violations: readonly ReportedViolation[];
  readonly resources: readonly { readonly urn: string; readonly type: string; readonly parent?: string }[];
}

export function isDeployable({ violations }: Pick<PlanResult, "violations">): boolean {
  return !violations.some((v) => v.severity === "mandatory");
}

export function toJson(result: PlanResult): PlanJson {
  return {
    ...summarize(result.plan),
    deployable: isDeployable(result),
    policies: result.policies,
    violations: result.violations,
    resources: result.resources.map(({ urn, type, parent }) => ({
      urn,
      type,
      ...(parent !== undefined && { parent }),
    })),
  };
}
