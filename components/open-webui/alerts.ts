import { OPEN_WEBUI_NAMESPACE } from "../../names/namespaces";
import type { AlertRule, RuleSubject } from "../observability/rules/types";
import { OPEN_WEBUI, OPEN_WEBUI_BACKUP } from "./names";

const PAGE = `namespace="${OPEN_WEBUI_NAMESPACE}",statefulset="${OPEN_WEBUI}"`;
const COPIES = `namespace="${OPEN_WEBUI_NAMESPACE}",cronjob="${OPEN_WEBUI_BACKUP}"`;

const pageDown: AlertRule = {
  alert: "OpenWebUiDown",
  expr: `
    max by (namespace, statefulset) (kube_statefulset_status_replicas_ready{${PAGE}}) == 0
    and max by (namespace, statefulset) (kube_statefulset_replicas{${PAGE}}) > 0`,
  for: "5m",
  // Models go on answering without it.
  severity: "warning",
  summary: "The chat page is not ready",
  description:
    "People cannot sign in or chat; other clients of the models are not affected. Look at the events and logs of its pod in {{ $labels.namespace }}.",
  cases: {
    fires: {
      series: {
        [`kube_statefulset_status_replicas_ready{${PAGE}}`]: "0x20",
        [`kube_statefulset_replicas{${PAGE}}`]: "1x20",
      },
      at: "10m",
      labels: { namespace: OPEN_WEBUI_NAMESPACE, statefulset: OPEN_WEBUI },
    },
    quiet: {
      series: {
        [`kube_statefulset_status_replicas_ready{${PAGE}}`]: "0x20",
        // Scaled to none, to put a copy back.
        [`kube_statefulset_replicas{${PAGE}}`]: "0x20",
      },
      at: "10m",
    },
  },
};

/** Two nights and an hour. */
const COPY_AGE_SECONDS = 49 * 3600;

const copiesOld: AlertRule = {
  alert: "OpenWebUiBackupOld",
  // Without any success the age of the CronJob counts.
  expr: `
    time() - (
      max by (namespace, cronjob) (kube_cronjob_status_last_successful_time{${COPIES}})
      or max by (namespace, cronjob) (kube_cronjob_created{${COPIES}})
    ) > ${COPY_AGE_SECONDS}`,
  for: "10m",
  severity: "warning",
  summary: "The last copy of the chat page's data is {{ $value | humanizeDuration }} old",
  description:
    "Users, chats and files are copied into the model store each night. What is newer than the last copy is lost with the volume. Look at the Jobs in {{ $labels.namespace }}.",
  cases: {
    fires: {
      series: {
        [`kube_cronjob_created{${COPIES}}`]: "0x3100",
        [`kube_cronjob_status_last_successful_time{${COPIES}}`]: "60x3100",
      },
      at: "51h",
      labels: { namespace: OPEN_WEBUI_NAMESPACE, cronjob: OPEN_WEBUI_BACKUP },
    },
    quiet: {
      series: {
        [`kube_cronjob_created{${COPIES}}`]: "0x3100",
        [`kube_cronjob_status_last_successful_time{${COPIES}}`]: "90000x3100",
      },
      at: "51h",
    },
  },
};

export const openWebUiAlerts: RuleSubject = { subject: "open-webui", recording: [], alerts: [pageDown, copiesOld] };
