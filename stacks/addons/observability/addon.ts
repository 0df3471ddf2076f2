import { observabilityConnections } from "../../../components/observability/connections";
import { STACK_SIZES } from "../../../components/observability/stack-sizes";
import { GPU_METRICS_NAMESPACE, NODE_METRICS_NAMESPACE, OBSERVABILITY_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { observabilitySecrets, observabilitySection } from "./config";

/** Metrics, dashboards and alerts of everything else: every platform has them. */
export const observability = addon({
  key: "observability",
  section: observabilitySection,
  secrets: observabilitySecrets,
  settings: (section) => section,
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
  connections: ({ targets, gpuPools, cluster, secrets }) =>
    observabilityConnections({
      targets,
      gpuPools,
      gpuExporters: cluster.gpuExporters,
      networks: cluster,
      scrapeControlPlane: false,
      alertWebhook: secrets.alertWebhookUrl !== undefined,
    }),
  load: () => import("./build"),
});
