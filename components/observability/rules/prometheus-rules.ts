import type { IPrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import type * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../../names/labels";
import { customResource } from "../../core/custom-resource";
import { KUBE_STATE } from "./absent";
import { type RuleGroup, ruleGroups } from "./rule-groups";
import { RULE_SUBJECTS } from "./subjects";
import type { RuleSubject } from "./types";

export interface PrometheusRulesArgs {
  readonly namespace: pulumi.Input<string>;
  /** URL of the runbook in your fork. @default its path in the repository */
  readonly runbookUrl?: string | undefined;
  /** @default none */
  readonly alerts?: readonly RuleSubject[];
  /** Labels by which the operator selects rules. @default none */
  readonly labels?: Labels | undefined;
  /** Whether kube-state-metrics runs in another namespace. @default false */
  readonly foreignKubeState?: boolean;
}

/** One PrometheusRule with the groups of every subject. */
export function prometheusRules(name: string, args: PrometheusRulesArgs, opts: pulumi.CustomResourceOptions): void {
  customResource<IPrometheusRule>(
    name,
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      name: "inference-platform",
      namespace: args.namespace,
      labels: standardLabels("prometheus-rules", "platform", args.labels),
      spec: {
        groups: [...RULE_SUBJECTS, ...(args.alerts ?? [])]
          .flatMap((subject) => ruleGroups(subject, args.runbookUrl))
          .map((group) => (args.foreignKubeState ? withForeignKubeState(group) : group)),
      },
    },
    opts,
  );
}

/** Charts of the operator name its job alike. */
function withForeignKubeState(group: RuleGroup): RuleGroup {
  const rules = group.rules.map((rule) => ({ ...rule, expr: rule.expr.replaceAll(KUBE_STATE, ANY_KUBE_STATE) }));
  return { ...group, rules };
}

const ANY_KUBE_STATE = 'up{job="kube-state-metrics"}';
