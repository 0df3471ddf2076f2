/** Failures at the gateway, by model, without intended refusals: for alerts and error budgets. */
import { freeRouteName, grpcCallRouteName, kserveRouteName, modelRouteName } from "../../../names/model-routes";
import { GATEWAY_NAMESPACE, modelNamespaceName } from "../../../names/namespaces";
import { modelNamespaceSeries, podSeries, REPLICAS } from "./models";
import { DUE } from "./replicas";
import type { InputSeries, RecordingRule } from "./types";

const ANSWERS = "envoy_cluster_upstream_rq_xx";
const DOWNSTREAM = "envoy_http_downstream_rq_xx";
/** Prefix of route clusters; the route's name and `/rule/<n>` follow. */
export const ROUTE = `httproute/${GATEWAY_NAMESPACE}/`;

/** Without the proxies' readiness and metrics listeners. */
const CLIENT_LISTENERS = 'envoy_http_conn_manager_prefix=~"https?-[0-9]+"';

/** Selects clusters of routes with names of these forms. */
export function routes(...names: ((name: string) => string)[]): string {
  const forms = names.map((nameOf) => nameOf("[^/.]+")).join("|");
  return `namespace="${GATEWAY_NAMESPACE}",envoy_cluster_name=~"${ROUTE}(${forms})/rule/[0-9]+"`;
}

const OWN = routes(modelRouteName, kserveRouteName, grpcCallRouteName);
const FREE = routes(freeRouteName);

/** Adds model and namespace by the route's name: prefixes of routes have no dash. */
export function ofRoutes(expr: string): string {
  const named = `label_replace(${expr}, "model", "$1", "envoy_cluster_name", "${ROUTE}[a-z]+-(.+)/rule/[0-9]+")`;
  return `label_replace(${named}, "namespace", "${modelNamespaceName("$1")}", "model", "(.+)")`;
}

function rateByModel(labels: string): string {
  return `sum by (namespace, model) (${ofRoutes(`rate(${ANSWERS}{${labels}}[5m])`)})`;
}

const REQUEST_TIME = "envoy_cluster_upstream_rq_time_bucket";

/** 99th percentile in milliseconds by model, for engines without their own. */
export const GATEWAY_P99_MS = `histogram_quantile(0.99, sum by (namespace, model, le) (${ofRoutes(`rate(${REQUEST_TIME}{${OWN}}[5m])`)}))`;

/** For cases: some answers take a second at most, all two and a half. */
export function answerTimeSeries(model: string, within: string, all: string): InputSeries {
  const of = `namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",envoy_cluster_name="${ROUTE}${modelRouteName(model)}/rule/0"`;
  return {
    [`${REQUEST_TIME}{${of},le="1000"}`]: within,
    [`${REQUEST_TIME}{${of},le="2500"}`]: all,
    [`${REQUEST_TIME}{${of},le="+Inf"}`]: all,
  };
}

export const ASLEEP = "inference:asleep_models:info";
/** Per second, by `namespace` and `model`. */
export const MODEL_ERRORS = "inference:model_errors:rate5m";
export const MODEL_ANSWERS = "inference:model_answers:rate5m";
const EXCUSED = "inference:excused_errors:rate5m";
export const GATEWAY_ERRORS = "inference:gateway_errors:rate5m";

/** For cases: answers of one proxy on a model's route, by class. */
export function routeSeries(
  model: string,
  answers: Readonly<Record<string, string>>,
  route = modelRouteName(model),
): InputSeries {
  const of = `namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",envoy_cluster_name="${ROUTE}${route}/rule/0"`;
  return Object.fromEntries(
    Object.entries(answers).map(([code, samples]) => [
      `${ANSWERS}{${of},envoy_response_code_class="${code}"}`,
      samples,
    ]),
  );
}

/** For cases: answers of one proxy to clients, by class. */
export function clientSeries(answers: Readonly<Record<string, string>>): InputSeries {
  const of = `namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",envoy_http_conn_manager_prefix="https-443"`;
  return Object.fromEntries(
    Object.entries(answers).map(([code, samples]) => [
      `${DOWNSTREAM}{${of},envoy_response_code_class="${code}"}`,
      samples,
    ]),
  );
}

const labelsOf = (model: string) => `{namespace="${modelNamespaceName(model)}",model="${model}"}`;
export const dueSeries = (model: string, samples: string): InputSeries => ({ [`${DUE}${labelsOf(model)}`]: samples });

const asleep: RecordingRule = {
  record: ASLEEP,
  // Ready for longer than the window of the rates.
  expr: `max by (namespace, model) (${DUE} == bool 0) > 0 unless on (namespace, model) (${REPLICAS.ready} > 0 and on (namespace, model) min_over_time(${REPLICAS.ready}[10m]) > 0)`,
  about:
    "1 for each model that sleeps, was stopped, or wakes in its planned time: its requests are refused on purpose.",
  cases: {
    gives: {
      series: {
        ...dueSeries("asleep", "0x40"),
        ...dueSeries("awake", "1x40"),
        ...dueSeries("woke", "0x40"),
        ...modelNamespaceSeries("woke", "1x40"),
        ...podSeries("woke", "woke-0", "0x5 1x35"),
      },
      at: "30m",
      samples: { [`${ASLEEP}${labelsOf("asleep")}`]: 1 },
    },
  },
};

/** An excused model has 0: sleep counts as time without errors. */
function unexcused(rate: string): string {
  return `(${rate} unless on (model) ${ASLEEP}) or 0 * ${rate}`;
}

const modelErrors: RecordingRule = {
  record: MODEL_ERRORS,
  expr: unexcused(rateByModel(`${OWN},envoy_response_code_class="5"`)),
  about: "Requests of a model that were answered 5xx in a second; none while it sleeps, and none of free consumers.",
  cases: {
    gives: {
      series: {
        ...routeSeries("chat", { "2": "0+60x20", "5": "0+6x20" }),
        ...routeSeries("chat", { "5": "0+60x20" }, freeRouteName("chat")),
        ...routeSeries("asleep", { "5": "0+60x20" }),
        ...dueSeries("asleep", "0x20"),
      },
      at: "15m",
      samples: { [`${MODEL_ERRORS}${labelsOf("chat")}`]: 0.1, [`${MODEL_ERRORS}${labelsOf("asleep")}`]: 0 },
    },
  },
};

const modelAnswers: RecordingRule = {
  record: MODEL_ANSWERS,
  expr: unexcused(rateByModel(OWN)),
  about: "Requests of a model that were answered in a second, whatever the answer; none while it sleeps.",
  cases: {
    gives: {
      series: { ...routeSeries("chat", { "2": "0+48x20", "4": "0+6x20", "5": "0+6x20" }) },
      at: "15m",
      samples: { [`${MODEL_ANSWERS}${labelsOf("chat")}`]: 1 },
    },
  },
};

const excused: RecordingRule = {
  record: EXCUSED,
  expr: `
    sum(${rateByModel(`${FREE},envoy_response_code_class="5"`)} or on () vector(0))
    + sum((${rateByModel(`${OWN},envoy_response_code_class="5"`)} and on (model) ${ASLEEP}) or on () vector(0))`,
  about: "Requests in a second that were answered 5xx on purpose: of models that sleep, and of free consumers.",
  cases: {
    gives: {
      series: {
        ...routeSeries("chat", { "5": "0+6x20" }),
        ...routeSeries("chat", { "5": "0+15x20" }, freeRouteName("chat")),
        ...routeSeries("asleep", { "5": "0+15x20" }),
        ...dueSeries("asleep", "0x20"),
      },
      at: "15m",
      samples: { [`${EXCUSED}{}`]: 0.5 },
    },
  },
};

const gatewayErrors: RecordingRule = {
  record: GATEWAY_ERRORS,
  // Includes answers without a route.
  expr: `
    clamp_min(
      sum by (namespace) (rate(${DOWNSTREAM}{namespace="${GATEWAY_NAMESPACE}",${CLIENT_LISTENERS},envoy_response_code_class="5"}[5m]))
        - on () group_left () ${EXCUSED}, 0)`,
  about: "Requests of clients in a second that the gateway answered 5xx, without those that were refused on purpose.",
  cases: {
    gives: {
      series: {
        ...clientSeries({ "2": "0+60x20", "5": "0+30x20" }),
        ...routeSeries("chat", { "5": "0+15x20" }, freeRouteName("chat")),
      },
      at: "15m",
      samples: { [`${GATEWAY_ERRORS}{namespace="${GATEWAY_NAMESPACE}"}`]: 0.25 },
    },
  },
};

export const CLIENT_ANSWERS = `sum by (namespace) (rate(${DOWNSTREAM}{namespace="${GATEWAY_NAMESPACE}",${CLIENT_LISTENERS}}[5m]))`;

/** In order of dependence. */
export const errorRecordings: readonly RecordingRule[] = [asleep, modelErrors, modelAnswers, excused, gatewayErrors];
