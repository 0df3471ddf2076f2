/** Servers outside of the cluster, by the gateway's health checks. */
import { modelRouteName } from "../../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { ofRoutes, ROUTE, routes } from "./error-series";
import { KIND } from "./planned-kinds";
import type { AlertRule, InputSeries, RecordingRule, RuleSubject } from "./types";

export const EXTERNAL_HEALTHY = "inference:external_healthy:ratio";

const MEMBERS = "envoy_cluster_membership_healthy";

/** For cases: healthy addresses of a server, by one proxy. */
function members(model: string, pod: string, samples: string): InputSeries {
  const of = `namespace="${GATEWAY_NAMESPACE}",pod="${pod}",envoy_cluster_name="${ROUTE}${modelRouteName(model)}/rule/0"`;
  return { [`${MEMBERS}{${of}}`]: samples };
}

const external = (model: string): InputSeries => ({ [`${KIND.external}{model="${model}"}`]: "1x40" });

const healthy: RecordingRule = {
  record: EXTERNAL_HEALTHY,
  // One healthy address of several is enough.
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
    "The external server of {{ $labels.model }} has failed the gateway's health checks for 5 minutes: it refuses connections, its certificate is not trusted, or its health path fails. Requests still go there. Check the server, and models.{{ $labels.model }}.external.",
  cases: {
    fires: {
      series: { ...external("hosted"), ...members("hosted", "proxy-0", "1x10 0x30") },
      at: "30m",
      labels: { model: "hosted" },
    },
    // One of two proxies; a restart of 3 minutes; a model in the cluster.
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
