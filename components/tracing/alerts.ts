import { TRACING_NAMESPACE } from "../../names/namespaces";
import type { AlertRule, RuleSubject } from "../observability/rules/types";
import { TRACE_COLLECTOR } from "./names";

const IN = `namespace="${TRACING_NAMESPACE}"`;
const POD = `${IN},pod="${TRACE_COLLECTOR}-0"`;

const REFUSED = "otelcol_receiver_refused_spans";
const DROPPED = "otelcol_exporter_enqueue_failed_spans";
const FAILED = "otelcol_exporter_send_failed_spans";

const spansLost: AlertRule = {
  alert: "TraceSpansLost",
  // Refused: memory limit. Dropped and failed: the store is slow or down.
  expr: [REFUSED, DROPPED, FAILED]
    .map((name) => `sum by (namespace) (rate(${name}{${IN}}[10m])) > 0`)
    .join("\n    or "),
  for: "15m",
  severity: "warning",
  summary: "Spans of requests are lost: {{ $value | humanize }} a second",
  description:
    "Traces have gaps or are missing; requests are not affected. Look at the logs of the trace collector and of its store in {{ $labels.namespace }}, and lower tracing.samplingPercent where the load is too high.",
  cases: {
    fires: { series: { [`${DROPPED}{${POD}}`]: "0+60x40" }, at: "30m", labels: { namespace: TRACING_NAMESPACE } },
    quiet: {
      // A store that restarts once.
      series: { [`${DROPPED}{${POD}}`]: "0x5 600x35", [`${REFUSED}{${POD}}`]: "0x40", [`${FAILED}{${POD}}`]: "0x40" },
      at: "30m",
    },
  },
};

export const tracingAlerts: RuleSubject = { subject: "tracing", recording: [], alerts: [spansLost] };
