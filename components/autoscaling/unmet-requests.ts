import { modelRouteName } from "../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { UNMET_REQUESTS_SERIES } from "../../names/recorded-series";
import type { RecordingRule, RuleSubject } from "../observability/rules/types";
import type { ScaledModel } from "./scaled-model";
import { unmetRequestsQuery } from "./wake-signal";

/** Series of gateway requests for sleeping models, used by plan-independent rules. */
export function unmetRequests(scaled: readonly Pick<ScaledModel, "scaling" | "endpoint" | "served">[]): RuleSubject {
  return {
    subject: "unmet-requests",
    recording: scaled.filter(({ scaling }) => scaling.min === 0).map(ofModel),
    alerts: [],
  };
}

function ofModel({ endpoint, served }: Pick<ScaledModel, "endpoint" | "served">): RecordingRule {
  const { namespace, model } = endpoint;
  const cluster = `envoy_cluster_name="httproute/${GATEWAY_NAMESPACE}/${modelRouteName(model)}/rule/0"`;
  return {
    record: UNMET_REQUESTS_SERIES,
    expr: served.map((each) => unmetRequestsQuery(each)).join(" + "),
    labels: { namespace, model },
    about: "Requests of the last two minutes for a model that sleeps which found no replica, each with its retries.",
    cases: {
      gives: {
        series: {
          [`envoy_cluster_upstream_cx_none_healthy{namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",${cluster}}`]:
            "_x14 1x6",
          [`envoy_cluster_upstream_cx_none_healthy{namespace="${GATEWAY_NAMESPACE}",pod="proxy-1",${cluster}}`]: "4x20",
        },
        at: "15m",
        samples: { [`${UNMET_REQUESTS_SERIES}{namespace="${namespace}",model="${model}"}`]: 1 },
      },
    },
  };
}
