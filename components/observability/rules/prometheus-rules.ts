import type { IPrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../../names/labels";
import { customResource } from "../../core/custom-resource";
import { PlatformComponent } from "../../core/platform-component";
import { ruleGroups } from "./rule-groups";
import { RULE_SUBJECTS } from "./subjects";
import type { RuleSubject } from "./types";

export interface PrometheusRulesArgs {
  /** Namespace for the PrometheusRule objects. */
  readonly namespace: pulumi.Input<string>;
  /** Where `runbook_url` points: the URL of the runbook in your fork. @default its path in the repository */
  readonly runbookUrl?: string;
  /** Rules of add-ons. @default none */
  readonly alerts?: readonly RuleSubject[];
}

/** The platform's recording rules and alerts: one PrometheusRule per subject. */
export class PrometheusRules extends PlatformComponent {
  constructor(name: string, args: PrometheusRulesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("observability:PrometheusRules", name, opts);
    for (const subject of [...RULE_SUBJECTS, ...(args.alerts ?? [])]) {
      customResource<IPrometheusRule>(
        this.child(subject.subject),
        {
          apiVersion: "monitoring.coreos.com/v1",
          kind: "PrometheusRule",
          name: `inference-${subject.subject}`,
          namespace: args.namespace,
          labels: standardLabels("prometheus-rules", subject.subject),
          spec: { groups: ruleGroups(subject, args.runbookUrl) },
        },
        this.childOptions(),
      );
    }
    this.registerOutputs();
  }
}
