import { ARGO_CD_NAMESPACE } from "../../names/namespaces";
import type { AlertRule, RuleSubject } from "../observability/rules/types";
import { ARGO_CD_PODS } from "./names";

const CONTROLLER = `namespace="${ARGO_CD_NAMESPACE}",statefulset="${ARGO_CD_PODS.controller.serviceAccount}"`;
const app = (sync: string, health: string) =>
  `argocd_app_info{name="inference-prod-root",sync_status="${sync}",health_status="${health}"}`;

const argoCdDown: AlertRule = {
  alert: "ArgoCdDown",
  expr: `max by (namespace, statefulset) (kube_statefulset_status_replicas_ready{${CONTROLLER}}) == 0`,
  for: "10m",
  severity: "warning",
  summary: "Argo CD's controller is not ready",
  description:
    "Changes in Git do not arrive, and drift is not healed; models and all else go on. Look at the events and logs of its pod in {{ $labels.namespace }}.",
  cases: {
    fires: {
      series: { [`kube_statefulset_status_replicas_ready{${CONTROLLER}}`]: "0x30" },
      at: "15m",
      labels: { namespace: ARGO_CD_NAMESPACE, statefulset: ARGO_CD_PODS.controller.serviceAccount },
    },
    quiet: { series: { [`kube_statefulset_status_replicas_ready{${CONTROLLER}}`]: "0x5 1x25" }, at: "15m" },
  },
};

const outOfSync: AlertRule = {
  alert: "ArgoCdOutOfSync",
  expr: `max by (name) (argocd_app_info{sync_status!="Synced"}) == 1`,
  for: "30m",
  severity: "warning",
  summary: "{{ $labels.name }} is not synced with Git",
  description:
    "What Git holds has not arrived for 30 minutes: a sync fails or waits for something in its lowest wave. What ran before goes on. Look at the Application's conditions.",
  cases: {
    fires: {
      series: { [app("OutOfSync", "Healthy")]: "1x60" },
      at: "45m",
      labels: { name: "inference-prod-root" },
    },
    quiet: {
      series: { [app("OutOfSync", "Healthy")]: "1x10 _x50", [app("Synced", "Healthy")]: "_x10 1x50" },
      at: "45m",
    },
  },
};

const degraded: AlertRule = {
  alert: "ArgoCdDegraded",
  expr: `max by (name) (argocd_app_info{health_status=~"Degraded|Missing"}) == 1`,
  for: "15m",
  severity: "warning",
  summary: "{{ $labels.name }} holds an object that is degraded or missing",
  description:
    "Argo CD ends a sync at a degraded object: changes after it do not arrive. The Application's resources name it.",
  cases: {
    fires: { series: { [app("Synced", "Degraded")]: "1x60" }, at: "20m", labels: { name: "inference-prod-root" } },
    quiet: { series: { [app("Synced", "Degraded")]: "1x5 _x50", [app("Synced", "Healthy")]: "_x5 1x50" }, at: "20m" },
  },
};

export const argoCdAlerts: RuleSubject = {
  subject: "argo-cd",
  recording: [],
  alerts: [argoCdDown, outOfSync, degraded],
};
