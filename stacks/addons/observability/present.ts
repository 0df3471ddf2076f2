/** An existing Prometheus: access to its metrics, and unsupported settings. */
import type { ExistingOperator, MetricsApi } from "../../../components/observability/existing-operator";
import { PROMETHEUS_PORT, STACK_PODS } from "../../../components/observability/names";
import { serviceHost } from "../../../names/service-host";
import type { Rule } from "../../config/core/rule";
import type { ObservabilityConfig } from "./config";

/** Undefined where the platform installs its own. */
export function operatorOf(settings: ObservabilityConfig): ExistingOperator | undefined {
  if (settings.prometheus !== "present") {
    return undefined;
  }
  const {
    namespace,
    url = `http://${serviceHost("prometheus-operated", namespace)}:${PROMETHEUS_PORT}`,
    ...operator
  } = settings.operator;
  return { namespace, url, ...operator };
}

/** Source of autoscalers' metrics. */
export function metricsApiOf(settings: ObservabilityConfig): MetricsApi {
  const operator = operatorOf(settings);
  return operator === undefined
    ? { pods: STACK_PODS.prometheus, port: PROMETHEUS_PORT }
    : {
        pods: { namespace: operator.namespace, podLabels: operator.podLabels },
        port: Number(new URL(operator.url).port || "80"),
      };
}

interface Own {
  readonly observability?: ObservabilityConfig;
  readonly tracing?: { readonly endpoint?: unknown } | undefined;
  readonly logging?: unknown;
}

/** Features of the platform's own stack. */
export const presentPrometheusGoesAlone: Rule<Own> = function* ({ sections }) {
  const { observability, tracing, logging, mesh, cluster } = sections;
  if (observability?.prometheus !== "present") {
    return;
  }
  const lost = [
    mesh !== undefined && mesh.mode !== "off"
      ? "mesh: pods of a mesh answer none that is outside of it, and the Prometheus of others is"
      : undefined,
    tracing !== undefined && tracing.endpoint === undefined
      ? "tracing without an endpoint of yours: its page is in the platform's Grafana"
      : undefined,
    logging === undefined ? undefined : "logging: its page is in the platform's Grafana",
    cluster?.provision === "create"
      ? "a cluster that is created here: nothing has installed an operator in it"
      : undefined,
  ].filter((reason) => reason !== undefined);
  if (lost.length > 0) {
    yield {
      path: ["observability", "prometheus"],
      value: "present",
      allowed: `only without ${lost.join("; without ")}`,
      fix: "remove that, or write prometheus: platform",
    };
  }
};
