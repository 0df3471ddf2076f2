import { PORTAINER_NAMESPACE } from "../../names/namespaces";
import type { AlertRule, RuleSubject } from "../observability/rules/types";
import { PORTAINER_AGENT } from "./names";

const AGENT = `namespace="${PORTAINER_NAMESPACE}",statefulset="${PORTAINER_AGENT}"`;

const agentDown: AlertRule = {
  alert: "PortainerAgentDown",
  expr: `max by (namespace, statefulset) (kube_statefulset_status_replicas_ready{${AGENT}}) == 0`,
  for: "10m",
  severity: "warning",
  summary: "Portainer's agent is not ready",
  description:
    "The Portainer server shows the cluster as down; models and all else go on. Look at the events and logs of its pod in {{ $labels.namespace }}.",
  cases: {
    fires: {
      series: { [`kube_statefulset_status_replicas_ready{${AGENT}}`]: "0x30" },
      at: "15m",
      labels: { namespace: PORTAINER_NAMESPACE, statefulset: PORTAINER_AGENT },
    },
    quiet: { series: { [`kube_statefulset_status_replicas_ready{${AGENT}}`]: "0x5 1x25" }, at: "15m" },
  },
};

export const portainerAlerts: RuleSubject = { subject: "portainer", recording: [], alerts: [agentDown] };
