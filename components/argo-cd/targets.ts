import type { ScrapeTarget } from "../observability/targets";
import { ARGO_CD_PODS } from "./names";

const { controller, repoServer, server } = ARGO_CD_PODS;

/** State of Applications, and of Argo CD. */
export const argoCdTargets: readonly ScrapeTarget[] = [controller, repoServer, server].map(
  ({ namespace, podLabels, serviceAccount, metricsPort }) => ({
    name: serviceAccount,
    namespace,
    podLabels,
    port: metricsPort,
    path: "/metrics",
  }),
);
