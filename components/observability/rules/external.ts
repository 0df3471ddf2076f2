/** Servers outside of the cluster, as the gateway's proxies find them when they ask for their health. */
import { modelRouteName } from "../../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { ofRoutes, ROUTE, routes } from "./error-series";
import { KIND } from "./planned-kinds";
import type { AlertRule, InputSeries, RecordingRule, RuleSubject } from "./types";

/** Share of the proxies that find an external model healthy, by `model`. */
export const EXTERNAL_HEALTHY = "inference:external_healthy:ratio";

const MEMBERS = "envoy_cluster_membership_healthy";

/** For cases: addresses of a model's server that one proxy finds healthy. */
function members(model: string, pod: string, samples: string): InputSeries {
  const of = `namespace="${GATEWAY_NAMESPACE}",pod="${pod}",envoy_cluster_name="${ROUTE}${modelRouteName(model)}/rule/0"`;
  return { [`${MEMBERS}{${of}}`]: samples };
}

const external = (model: string): InputSeries => ({ [`${KIND.external}{model="${model}"}`]: "1x40" });

const healthy: RecordingRule = {
  record: EXTERNAL_HEALTHY,
  // A name that resolves to several addresses has several members; one is enough.
  expr: `avg by (model) (${ofRoutes(`max by (pod, envoy_cluster_name) (${MEMBERS}{${routes(modelRouteName)}}) > bool 0`)}) and on (model) ${KIND.external}`,
  about: "Share of the gateway's proxies that find the server of an external model healthy.",
  cases: {
    gives: {
      series: {
        ...external("hosted"),
        ...members("hosted", "proxy-0", "3x40"),
        ...members("hosted", "proxy-1", "0x40"),
        ...members("chat", "proxy-0", "2x40"),
      },
      at: "15m",
      samples: { [`${EXTERNAL_HEALTHY}{model="hosted"}`]: 0.5 },
    },
  },
};

const unhealthy: AlertRule = {
  alert: "ExternalModelUnhealthy",
  expr: `${EXTERNAL_HEALTHY} == 0`,
  for: "5m",
  severity: "warning",
  summary: "The server of {{ $labels.model }} does not answer the gateway",
  description:
    "For 5 minutes no proxy of the gateway has found the external server of {{ $labels.model }} healthy: it refuses connections, its certificate is not trusted, or its health path answers otherwise. Requests still go there. Look at the server, and at models.{{ $labels.model }}.external.",
  cases: {
    fires: {
      series: { ...external("hosted"), ...members("hosted", "proxy-0", "1x10 0x30") },
      at: "30m",
      labels: { model: "hosted" },
    },
    // One of two proxies; a restart of 3 minutes; a model that runs here, which other alerts are for.
    quiet: {
      series: {
        ...external("hosted"),
        ...external("brief"),
        ...members("hosted", "proxy-0", "0x40"),
        ...members("hosted", "proxy-1", "1x40"),
        ...members("brief", "proxy-0", "1x20 0x3 1x17"),
        ...members("chat", "proxy-0", "0x40"),
      },
      at: "24m",
    },
  },
};

export const externalModels: RuleSubject = {
  subject: "external-models",
  recording: [healthy],
  alerts: [unhealthy],
};
