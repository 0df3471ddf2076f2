import type { RecordedResource } from "../offline/run";
import type { SizingStep } from "../planner/memory/sizing-rule";
import { stepsOf } from "../planner/sizing";
import { type PlanSummary, summarize } from "../planner/summary";
import type { DeploymentPlan, Fix, SizingComparison, UnplacedModel } from "../planner/types";
import type { AlertFact } from "../stacks/alert-facts";
import type { ClusterFact } from "./cluster";
import { SCHEMA_VERSION } from "./json/schema";
import type { PlannedFile } from "./next-step";

/** Something that forbids the deployment (`mandatory`) or deserves a look (`advisory`). */
export interface ReportedViolation {
  readonly policy: string;
  readonly severity: "mandatory" | "advisory";
  /** URN of a resource, or the path in the configuration that a capacity rule judged. */
  readonly resource: string;
  /** May have several lines. */
  readonly message: string;
  /** Single changes that fix a refusal, cheapest first; the message names them too. */
  readonly fixes?: readonly Fix[];
}

/** All that a run of `plan` found out. */
export interface PlanResult {
  readonly plan: DeploymentPlan;
  readonly cluster: ClusterFact;
  /** Receivers of alerts. */
  readonly alerts: readonly AlertFact[];
  /** The cluster's own Prometheus and Alertmanager are used. @default the platform brings them */
  readonly prometheus?: "present";
  readonly resources: readonly RecordedResource[];
  readonly policies: { readonly passed: number; readonly failed: number };
  readonly violations: readonly ReportedViolation[];
  readonly seconds: number;
  /** @default `Pulumi.<environment>.yaml`, of which no stack exists */
  readonly from?: PlannedFile;
  /** When the plan was made, and of which commit, where that is to be shown. */
  readonly made?: { readonly date: string; readonly commit?: string };
}

/** `plan --json`: keys that others rely on, each documented in json/schema.ts. */
export interface PlanJson extends Omit<PlanSummary, "models"> {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly cluster: Pick<ClusterFact, "kind" | "provision" | "endpoint" | "region" | "machine" | "tool" | "nodes">;
  readonly models: readonly (Omit<PlanSummary["models"][number], "sizing"> & {
    readonly sizing?: SizingComparison & { readonly steps: readonly SizingStep[] };
  })[];
  readonly alerts: readonly AlertFact[];
  /** Models without a place, and how near each came. */
  readonly unplaced: readonly UnplacedModel[];
  readonly deployable: boolean;
  readonly policies: PlanResult["policies"];
  readonly violations: readonly ReportedViolation[];
  readonly resources: readonly { readonly urn: string; readonly type: string; readonly parent?: string }[];
}

export function isDeployable({ violations }: Pick<PlanResult, "violations">): boolean {
  return !violations.some((v) => v.severity === "mandatory");
}

export function toJson(result: PlanResult): PlanJson {
  const summary = summarize(result.plan);
  const { kind, provision, endpoint, region, machine, tool, nodes } = result.cluster;
  return {
    schemaVersion: SCHEMA_VERSION,
    ...summary,
    cluster: {
      kind,
      provision,
      ...(endpoint && { endpoint }),
      ...(region !== undefined && { region }),
      ...(machine !== undefined && { machine }),
      ...(tool !== undefined && { tool }),
      ...(nodes && { nodes }),
    },
    models: summary.models.map(({ sizing, ...model }) => ({
      ...model,
      ...(sizing && { sizing: { ...sizing, steps: stepsOf(sizing) } }),
    })),
    alerts: result.alerts,
    unplaced: result.plan.unplaced,
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
