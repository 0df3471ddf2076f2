import { LOGGING_NAMESPACE, NODE_LOGS_NAMESPACE } from "../../names/namespaces";
import type { AlertRule, RuleSubject } from "../observability/rules/types";
import { LOG_COLLECTOR, LOKI } from "./names";

const COLLECTOR = `namespace="${NODE_LOGS_NAMESPACE}",pod="${LOG_COLLECTOR}-x"`;
const SIZE = "otelcol_exporter_queue_size";
const CAPACITY = "otelcol_exporter_queue_capacity";
const IN_NODES = `namespace="${NODE_LOGS_NAMESPACE}"`;

const linesHeldBack: AlertRule = {
  alert: "LogLinesHeldBack",
  expr: `
    max by (namespace, pod) (${SIZE}{${IN_NODES}}) / max by (namespace, pod) (${CAPACITY}{${IN_NODES}}) > 0.9`,
  for: "10m",
  severity: "warning",
  summary: "Log lines of a node wait for Loki",
  description:
    "The queue of {{ $labels.pod }} is full, so it reads no further. Lines are lost once the kubelet compresses their files: after 20 MiB of a container by its default. Look at Loki in the namespace logging.",
  cases: {
    fires: {
      series: { [`${SIZE}{${COLLECTOR}}`]: "95x30", [`${CAPACITY}{${COLLECTOR}}`]: "100x30" },
      at: "20m",
      labels: { namespace: NODE_LOGS_NAMESPACE, pod: `${LOG_COLLECTOR}-x` },
    },
    quiet: { series: { [`${SIZE}{${COLLECTOR}}`]: "50x30", [`${CAPACITY}{${COLLECTOR}}`]: "100x30" }, at: "20m" },
  },
};

const DISCARDED = "loki_discarded_samples_total";
const LOKI_POD = `namespace="${LOGGING_NAMESPACE}",pod="${LOKI}-0",reason="rate_limited"`;

const linesDiscarded: AlertRule = {
  alert: "LogLinesDiscarded",
  // Lines read again after a restart are duplicates, not losses.
  expr: `
    sum by (namespace, reason) (rate(${DISCARDED}{namespace="${LOGGING_NAMESPACE}",reason!~"too_far_behind|greater_than_max_sample_age"}[10m])) > 0`,
  for: "15m",
  severity: "warning",
  summary: "Loki refuses {{ $value | humanize }} log lines a second: {{ $labels.reason }}",
  description:
    "With rate_limited more lines come than logging.storageGiB holds for logging.retentionDays: raise the one, lower the other, or find the pod that writes too much. Collectors try again, until their files are removed.",
  cases: {
    fires: {
      series: { [`${DISCARDED}{${LOKI_POD}}`]: "0+60x40" },
      at: "30m",
      labels: { namespace: LOGGING_NAMESPACE, reason: "rate_limited" },
    },
    quiet: { series: { [`${DISCARDED}{${LOKI_POD}}`]: "0x5 600x35" }, at: "30m" },
  },
};

export const loggingAlerts: RuleSubject = {
  subject: "logging",
  recording: [],
  alerts: [linesHeldBack, linesDiscarded],
};
