/** Engines may hang without a metric that shows it; the gateway sees missing answers. */
import { freeRouteName, kserveRouteName, modelRouteName } from "../../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { RequestTimes } from "../../../planner/request-times";
import { ROUTE, routes } from "./error-series";
import { KIND } from "./planned-kinds";
import type { AlertRule, PrometheusDuration, RuleSubject } from "./types";

/** Without gRPC, whose series have other names. */
const ROUTES = routes(modelRouteName, freeRouteName, kserveRouteName);

/** Prefixes of routes have no dash. */
const byModel = (value: string) =>
  `sum by (model) (label_replace(${value}, "model", "$1", "envoy_cluster_name", "${ROUTE}[a-z]+-([^/]+)/rule/[0-9]+"))`;

const ACTIVE = "envoy_cluster_upstream_rq_active";
const RECEIVED = "envoy_cluster_upstream_cx_rx_bytes_total";

/** For cases: one proxy's counts of a model, by minute. */
export function pastAtGateway(model: string, active: string, received: string): Record<string, string> {
  const of = `namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",envoy_cluster_name="${ROUTE}${modelRouteName(model)}/rule/0"`;
  return { [`${ACTIVE}{${of}}`]: active, [`${RECEIVED}{${of}}`]: received };
}

/** Models that embed or rank answer something within these. */
const BRIEF_MINUTES = 5;

/** Always open requests, and no byte of any answer. */
function silentFor(window: PrometheusDuration): string {
  const series = (name: string) => `${name}{${ROUTES}}`;
  return `(
      ${byModel(`min_over_time(${series(ACTIVE)}[${window}])`)} > 0
      and on (model) ${byModel(`${series(ACTIVE)} offset ${window}`)} > 0
      unless on (model) ${byModel(`increase(${series(RECEIVED)}[${window}])`)} > 0)`;
}

/**
 * The gateway cuts requests after `streamIdleTimeoutSeconds` without a byte. A minute more without
 * any answer: all earlier requests failed. Long prompts and answers would be cut too. Health checks
 * use other connections.
 */
function modelSilent(streamIdleTimeoutSeconds: number): AlertRule {
  const minutes = Math.ceil(streamIdleTimeoutSeconds / 60) + 1;
  const brief = Math.min(BRIEF_MINUTES, minutes);
  return {
    alert: "ModelSilent",
    expr: `${silentFor(`${minutes}m`)} or (${silentFor(`${brief}m`)} and on (model) ${KIND.brief})`,
    for: "30s",
    severity: "critical",
    summary: "{{ $labels.model }} does not answer",
    description: `At least {{ $value }} requests to {{ $labels.model }} have been open for ${minutes} minutes (${brief} if it embeds or ranks) without a byte of any answer. Its pods may still be Ready. Delete them with --grace-period=1.`,
    cases: {
      fires: {
        series: pastAtGateway("chat", `0x2 3x${minutes + 20}`, `0+900x4 3600x${minutes + 20}`),
        at: `${minutes + 10}m`,
        labels: { model: "chat" },
      },
      quiet: {
        series: {
          // Unstreamed answers end in time; one streams; clients time out early and retry.
          ...pastAtGateway("long", `1x${minutes + 20}`, `0x${minutes - 2} 900x${minutes - 2} 1800x${minutes + 20}`),
          ...pastAtGateway("chat", `3x${minutes + 20}`, `0+900x${minutes + 20}`),
          ...pastAtGateway("rare", `1x3 0 1x${minutes - 2} 0 1x${minutes + 20}`, `700x${minutes + 30}`),
          // No requests; begun lately.
          ...pastAtGateway("idle", `0x${minutes + 20}`, `900x${minutes + 20}`),
          ...pastAtGateway("new", `_x12 2x${minutes + 8}`, `_x12 0x${minutes + 8}`),
        },
        at: `${minutes + 2}m`,
      },
    },
  };
}

export function silentModels({
  streamIdleTimeoutSeconds,
}: Pick<RequestTimes, "streamIdleTimeoutSeconds">): RuleSubject {
  return { subject: "silent", recording: [], alerts: [modelSilent(streamIdleTimeoutSeconds)] };
}
