import { observabilityConnections } from "../../../components/observability/connections";
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
import { receiversOf } from "./receivers";

/** Metrics, dashboards and alerts of everything else: every platform has them. */
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
  ],
  advice: alertAdvice,
  volumes: ({ settings: { profile, storageGiB } }) => ({
    volumes: [{ name: "metrics", sizeGiB: storageGiB, count: STACK_SIZES[profile].prometheusReplicas }],
  }),
  namespaces: ({ environment, plan }) => [
    OBSERVABILITY_NAMESPACE,
    NODE_METRICS_NAMESPACE,
    ...(plan.pools.some(({ shape }) => shape.gpu) && environment.cluster.gpuExporters === "platform"
      ? [GPU_METRICS_NAMESPACE]
      : []),
  ],
  connections: ({ targets, gpuPools, cluster, settings, secrets }) =>
    observabilityConnections({
      targets,
      gpuPools,
      gpuExporters: cluster.gpuExporters,
      networks: cluster,
      scrapeControlPlane: false,
      receivers: receiversOf(settings.alerts, Object.keys(secrets)),
    }),
  load: () => import("./build"),
});
