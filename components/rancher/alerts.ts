import { RANCHER_NAMESPACE } from "../../names/namespaces";
import type { AlertRule, RuleSubject } from "../observability/rules/types";
import { RANCHER, rancherWebhookPods } from "./names";

function notReady(
  deployment: string,
  rule: Pick<AlertRule, "alert" | "severity" | "summary" | "description">,
): AlertRule {
  const series = `kube_deployment_status_replicas_available{namespace="${RANCHER_NAMESPACE}",deployment="${deployment}"}`;
  return {
    ...rule,
    expr: `max by (namespace, deployment) (${series}) == 0`,
    for: "10m",
    cases: {
      fires: { series: { [series]: "0x30" }, at: "15m", labels: { namespace: RANCHER_NAMESPACE, deployment } },
      quiet: { series: { [series]: "0x5 1x25" }, at: "15m" },
    },
  };
}

const agentDown = notReady(RANCHER.agent, {
  alert: "RancherAgentDown",
  severity: "warning",
  summary: "Rancher's agent is not connected",
  description:
    "The Rancher server shows the cluster as unavailable; models and all else go on. Look at the logs of {{ $labels.deployment }} in {{ $labels.namespace }}.",
});

const webhookDown = notReady(rancherWebhookPods.podLabels.app ?? "", {
  alert: "RancherWebhookDown",
  severity: "critical",
  summary: "Rancher's webhook does not answer: the API server refuses namespaces and roles",
  description:
    "The API server asks {{ $labels.deployment }} before it creates or changes namespaces, roles and bindings, and refuses them while it does not answer. Running models go on; deployments fail.",
});

export const rancherAlerts: RuleSubject = { subject: "rancher", recording: [], alerts: [agentDown, webhookDown] };
