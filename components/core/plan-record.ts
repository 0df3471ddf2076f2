import * as kubernetes from "@pulumi/kubernetes";
import { standardLabels } from "../../names/labels";
import { PLAN_CONFIG_MAP } from "../../names/plan-record";
import { summarize } from "../../planner/summary";
import type { DeploymentPlan } from "../../planner/types";
import { childrenOfGone, type OptionsOfGone } from "./gone-component";
import { IsolatedNamespace } from "./isolated-namespace";

/**
 * The plan as a ConfigMap, for policies on memory and budget, and for operators (`kubectl get
 * configmap -n inference-system inference-plan`).
 */
export function planRecord(name: string, { plan }: { readonly plan: DeploymentPlan }, opts: OptionsOfGone): void {
  const options = { ...opts, aliases: childrenOfGone("core:PlanRecord", name, opts) };
  const { namespace } = new IsolatedNamespace(`${name}-ns`, { namespace: PLAN_CONFIG_MAP.namespace }, options);
  new kubernetes.core.v1.ConfigMap(
    `${name}-plan`,
    {
      metadata: { name: PLAN_CONFIG_MAP.name, namespace, labels: standardLabels("plan", plan.environment) },
      // Multi-line, for readable diffs.
      data: { [PLAN_CONFIG_MAP.key]: `${JSON.stringify(summarize(plan), undefined, 2)}\n` },
    },
    options,
  );
}
