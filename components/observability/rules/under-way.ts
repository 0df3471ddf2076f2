import { freeRouteName, kserveRouteName, modelRouteName } from "../../../names/model-routes";
import { UNDER_WAY_SERIES } from "../../../names/recorded-series";
import { ofRoutes, routes } from "./error-series";
import { pastAtGateway } from "./silent";
import type { RecordingRule } from "./types";

const ROUTES = routes(modelRouteName, freeRouteName, kserveRouteName);

/** Engines without metrics report neither. */
export const underWay: RecordingRule = {
  record: UNDER_WAY_SERIES,
  expr: `sum by (namespace, model) (${ofRoutes(`envoy_cluster_upstream_rq_active{${ROUTES}}`)})`,
  about: "Requests to a model that are under way at the gateway, waiting or answered.",
  cases: {
    gives: {
      series: { ...pastAtGateway("chat", "3x20", "0x20"), ...pastAtGateway("mail-box", "1x20", "0x20") },
      at: "15m",
      samples: {
        [`${UNDER_WAY_SERIES}{namespace="model-chat",model="chat"}`]: 3,
        [`${UNDER_WAY_SERIES}{namespace="model-mail-box",model="mail-box"}`]: 1,
      },
    },
  },
};
