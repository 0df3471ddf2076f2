import { beta9Connections } from "../components/beta9/connections";
import type { Cluster } from "../components/core/cluster";
import { Connections } from "../components/core/connections";
import { gatewayConnections } from "../components/gateway/connections";
import type { GatewayService } from "../components/gateway/service-routes";
import { modelControlConnections } from "../components/model-control/connections";
import { observabilityConnections } from "../components/observability/connections";
import type { GpuPool } from "../components/observability/gpu-metrics";
import type { ScrapeTarget } from "../components/observability/targets";
import type { ModelEndpoint } from "../components/serving/endpoint";
import { servingConnections } from "../components/serving/serving";
import { storeConnections } from "../components/storage/connections";
import type { DeploymentPlan } from "../planner/types";
import { beta9Args } from "./beta9";
import type { EnvironmentConfig, LoadedEnvironment } from "./config";

export interface PlatformParts {
  readonly cluster: Cluster;
  readonly environment: EnvironmentConfig;
  readonly secrets: LoadedEnvironment["secrets"];
  readonly plan: DeploymentPlan;
  /** Where the models will answer. */
  readonly endpoints: readonly ModelEndpoint[];
  /** What the gateway routes to besides models. */
  readonly services: readonly GatewayService[];
  /** What Prometheus scrapes. */
  readonly targets: readonly ScrapeTarget[];
  readonly gpuPools: readonly GpuPool[];
}

/** Who connects to whom in an environment: every part says it for itself, before anything is made. */
export function platformConnections(parts: PlatformParts): Connections {
  const { cluster, environment, secrets, plan, endpoints, services, targets, gpuPools } = parts;
  const { gateway, modelControl, beta9 } = environment;
  return new Connections([
    ...gatewayConnections({
      endpoints,
      services,
      networks: cluster,
      certManager: environment.cluster.certManager,
      acme: gateway.tls.kind === "acme" ? gateway.tls : undefined,
    }),
    ...storeConnections(plan.models, cluster),
    ...servingConnections(plan.models, cluster),
    ...(modelControl.enabled
      ? modelControlConnections({ endpoints, networks: cluster, warmModels: modelControl.warmModels.length > 0 })
      : []),
    ...observabilityConnections({
      targets,
      gpuPools,
      gpuExporters: cluster.gpuExporters,
      networks: cluster,
      scrapeControlPlane: false,
      alertWebhook: secrets.alertWebhookUrl !== undefined,
    }),
    ...(beta9
      ? beta9Connections({
          backends: beta9Args(beta9, secrets, plan).backends,
          clients: beta9.clients,
          networks: cluster,
        })
      : []),
  ]);
}
