import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { PLAN_CONFIG_MAP } from "../../names/plan-record";
import { summarize } from "../../planner/summary";
import type { DeploymentPlan } from "../../planner/types";
import { IsolatedNamespace } from "./isolated-namespace";
import { PlatformComponent } from "./platform-component";

/**
 * The plan, kept in the cluster beside what was made from it: policies judge memory and budget by it, and
 * an operator at night reads there what was intended (`kubectl get configmap -n inference-system inference-plan`).
 */
export class PlanRecord extends PlatformComponent {
  constructor(name: string, args: { readonly plan: DeploymentPlan }, opts?: pulumi.ComponentResourceOptions) {
    super("core:PlanRecord", name, opts);
    const system = new IsolatedNamespace(
      this.child("ns"),
      { namespace: PLAN_CONFIG_MAP.namespace },
      this.childOptions(),
    );
    new kubernetes.core.v1.ConfigMap(
      this.child("plan"),
      {
        metadata: {
          name: PLAN_CONFIG_MAP.name,
          namespace: system.namespace,
          labels: standardLabels("plan", args.plan.environment),
        },
        // In lines, so that a reviewer sees which figure changed.
        data: { [PLAN_CONFIG_MAP.key]: `${JSON.stringify(summarize(args.plan), undefined, 2)}\n` },
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}
