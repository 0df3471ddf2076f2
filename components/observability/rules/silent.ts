/** Models that answer nothing, as the gateway sees them: engines may hang without a figure of their own that says so. */
import { freeRouteName, kserveRouteName, modelRouteName } from "../../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { RequestTimes } from "../../../planner/request-times";
import { ROUTE, routes } from "./error-series";
import { KIND } from "./planned-kinds";
import type { AlertRule, PrometheusDuration, RuleSubject } from "./types";

/** Routes to models, whatever the engine. Not those of gRPC, whose series have other names. */
const ROUTES = routes(modelRouteName, freeRouteName, kserveRouteName);

/** By the model that a route is named after: prefixes of routes have no dash. */
const byModel = (value: string) =>
  `sum by (model) (label_replace(${value}, "model", "$1", "envoy_cluster_name", "${ROUTE}[a-z]+-([^/]+)/rule/[0-9]+"))`;

const ACTIVE = "envoy_cluster_upstream_rq_active";
const RECEIVED = "envoy_cluster_upstream_cx_rx_bytes_total";

/** For cases: what one proxy counts of a model, minute by minute. */
export function pastAtGateway(model: string, active: string, received: string): Record<string, string> {
  const of = `namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",envoy_cluster_name="${ROUTE}${modelRouteName(model)}/rule/0"`;
  return { [`${ACTIVE}{${of}}`]: active, [`${RECEIVED}{${of}}`]: received };
}

/** Minutes in which some answer of a model that embeds or ranks has come, if it has something to do. */
const BRIEF_MINUTES = 5;

/** Models with requests under way all the time, and not a byte of any answer. */
function silentFor(window: PrometheusDuration): string {
  const series = (name: string) => `${name}{${ROUTES}}`;
  return `(
      ${byModel(`min_over_time(${series(ACTIVE)}[${window}])`)} > 0
      and on (model) ${byModel(`${series(ACTIVE)} offset ${window}`)} > 0
      unless on (model) ${byModel(`increase(${series(RECEIVED)}[${window}])`)} > 0)`;
}

/**
 * The gateway cuts requests in which nothing has come for `streamIdleTimeoutSeconds`, the wait for a first token and a whole answer that is
 * not streamed included. A minute more without a byte of any answer: whatever was asked before has failed. A long prompt and a long answer
 * do not look like this, because the gateway would cut them too. Models that embed or rank have neither, and alert earlier. The gateway's own
 * checks of replicas count in other connections.
 */
function modelSilent(streamIdleTimeoutSeconds: number): AlertRule {
  const minutes = Math.ceil(streamIdleTimeoutSeconds / 60) + 1;
  const brief = Math.min(BRIEF_MINUTES, minutes);
  return {
    alert: "ModelSilent",
    expr: `${silentFor(`${minutes}m`)} or (${silentFor(`${brief}m`)} and on (model) ${KIND.brief})`,
    for: "30s",
    severity: "critical",
    summary: "{{ $labels.model }} answers nothing",
    description: `For ${minutes} minutes (${brief} of a model that embeds or ranks) at least {{ $value }} requests to {{ $labels.model }} have been under way at the gateway, and not a byte of an answer has come from any of its replicas. Its pods may well say that they are ready. End them without a drain.`,
    cases: {
      fires: {
        series: pastAtGateway("chat", `0x2 3x${minutes + 20}`, `0+900x4 3600x${minutes + 20}`),
        at: `${minutes + 10}m`,
        labels: { model: "chat" },
      },
      quiet: {
        series: {
          // An answer that is not streamed ends in time; one that streams goes on; each client gives up early, and asks again later.
          ...pastAtGateway("long", `1x${minutes + 20}`, `0x${minutes - 2} 900x${minutes - 2} 1800x${minutes + 20}`),
          ...pastAtGateway("chat", `3x${minutes + 20}`, `0+900x${minutes + 20}`),
          ...pastAtGateway("rare", `1x3 0 1x${minutes - 2} 0 1x${minutes + 20}`, `700x${minutes + 30}`),
          // Nothing to do; begun a while ago.
          ...pastAtGateway("idle", `0x${minutes + 20}`, `900x${minutes + 20}`),
          ...pastAtGateway("new", `_x12 2x${minutes + 8}`, `_x12 0x${minutes + 8}`),
        },
        at: `${minutes + 2}m`,
      },
    },
  };
}

/** The alert of an environment, whose gateway waits for so long. */
export function silentModels({
  streamIdleTimeoutSeconds,
}: Pick<RequestTimes, "streamIdleTimeoutSeconds">): RuleSubject {
  return { subject: "silent", recording: [], alerts: [modelSilent(streamIdleTimeoutSeconds)] };
}
