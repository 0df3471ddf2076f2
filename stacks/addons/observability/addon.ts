import { observabilityConnections } from "../../../components/observability/connections";
import { STACK_SIZES } from "../../../components/observability/stack-sizes";
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
