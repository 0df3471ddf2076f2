import { existingOperatorConnections, observabilityConnections } from "../../../components/observability/connections";
import { STACK_SIZES } from "../../../components/observability/stack-sizes";
import { GPU_METRICS_NAMESPACE, NODE_METRICS_NAMESPACE, OBSERVABILITY_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { alertAdvice } from "./advice";
import {
  bundledReceiversArePrivate,
  mailServerIsReached,
  pagerdutyPortIsOpen,
  productionAlertsPeople,
  proxiesAreReached,
  receiversAreOutside,
  runbookIsPlain,
} from "./alert-rules";
import { observabilitySecrets, observabilitySection } from "./config";
import { metricsApiOf, operatorOf, presentPrometheusGoesAlone } from "./present";
import { receiversOf } from "./receivers";

/** Metrics, dashboards and alerts of everything: part of every platform. */
export const observability = addon({
  key: "observability",
  section: observabilitySection,
  secrets: observabilitySecrets,
  settings: (section) => section,
  rules: [
    productionAlertsPeople,
    proxiesAreReached,
    receiversAreOutside,
    bundledReceiversArePrivate,
    mailServerIsReached,
    pagerdutyPortIsOpen,
    runbookIsPlain,
    presentPrometheusGoesAlone,
  ],
  advice: alertAdvice,
  volumes: ({ settings }) => ({
    volumes:
      settings.prometheus === "present"
        ? []
        : [
            {
              name: "metrics",
              sizeGiB: settings.storageGiB,
              count: STACK_SIZES[settings.profile].prometheusReplicas,
            },
          ],
  }),
  metricsApi: ({ settings }) => metricsApiOf(settings),
  namespaces: ({ environment, plan, settings }) => [
    OBSERVABILITY_NAMESPACE,
    ...(settings.prometheus === "present" ? [] : [NODE_METRICS_NAMESPACE]),
    ...(plan.pools.some(({ shape }) => shape.gpu) && environment.cluster.gpuExporters === "platform"
      ? [GPU_METRICS_NAMESPACE]
      : []),
  ],
  connections: ({ targets, gpuPools, cluster, settings, secrets }) => {
    const operator = operatorOf(settings);
    return operator
      ? existingOperatorConnections(targets, gpuPools, cluster.gpuExporters, operator, cluster)
      : observabilityConnections({
          targets,
          gpuPools,
          gpuExporters: cluster.gpuExporters,
          networks: cluster,
          scrapeControlPlane: false,
          receivers: receiversOf(settings.alerts, Object.keys(secrets)),
        });
  },
  load: () => import("./build"),
});
