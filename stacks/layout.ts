import { karpenterConnections } from "../components/autoscaling/connections";
import { karpenterPods } from "../components/autoscaling/karpenter-values";
import { kedaConnections } from "../components/autoscaling/keda-connections";
import { KEDA_PODS } from "../components/autoscaling/keda-names";
import { certManagerPods } from "../components/certificates/cert-manager";
import type { Cluster } from "../components/core/cluster";
import { type Connection, Connections, type TracePods } from "../components/core/connections";
import { withHostNetwork } from "../components/core/host-network";
import {
  loadBalancerControllerConnections,
  loadBalancerControllerPods,
} from "../components/gateway/aws-load-balancer-controller";
import { gatewayConnections } from "../components/gateway/connections";
import { gatewayProxies, PROXY_METRICS, RATE_LIMITER, rateLimiterPods } from "../components/gateway/names";
import { type OutsidePublished, publishedExternal } from "../components/gateway/published";
import { quotaRule } from "../components/gateway/quotas";
import type { RunTimeModels } from "../components/gateway/run-time-models";
import type { GatewayService } from "../components/gateway/service-routes";
import { gpuSoftwareConnections } from "../components/gpu/connections";
import { fabricGateConnections } from "../components/gpu/gate-connections";
import { metricsNodes } from "../components/gpu/metrics-nodes";
import { makesDrivers } from "../components/gpu/nvidia";
import { rdmaDeviceConnections } from "../components/gpu/rdma-devices";
import { type MeshLayout, meshLayout } from "../components/mesh/mesh-layout";
import { meshTargets } from "../components/mesh/targets";
import { nodeConnections } from "../components/node/connections";
import {
  certManagerTarget,
  controllerTarget,
  gatewayTargets,
  modelStoreTarget,
  modelTargets,
  nodeTargets,
  rateLimiterTargets,
  type ScrapeTarget,
} from "../components/observability/targets";
import type { ControlAccess } from "../components/serving/model-server";
import { modelEndpoints, servingConnections } from "../components/serving/serving";
import { storeConnections } from "../components/storage/connections";
import { storeMetricsPods } from "../components/storage/store-layout";
import { modelNamespaceName } from "../names/namespaces";
import { quotasOf } from "../planner/quotas";
import { tenantsOf } from "../planner/tenants";
import type { DeploymentPlan } from "../planner/types";
import type { ActiveAddon } from "./addons/addon";
import type { LaidOut, Planned } from "./addons/contract";
import type { Bundle } from "./bundle/open-bundle";
import { storeElsewhere } from "./config/core/store-backend";
import { gpuSoftware } from "./gpu-software";
import { karpenter } from "./karpenter";
import { platformNamespaces } from "./platform-namespaces";
import { runsKeda } from "./scaled-models";

/** Everything known before resources exist. */
export interface Layout extends LaidOut {
  /** Controller of engines at run time. @default none */
  readonly control: ControlAccess | undefined;
  /** Hosted servers that the gateway publishes. */
  readonly outside: readonly OutsidePublished[];
  /** Gateway routes other than models. */
  readonly services: readonly GatewayService[];
  /** Fallback for models without a route. @default none */
  readonly runTimeModels: RunTimeModels | undefined;
  /** Declared by every part for itself. */
  readonly connections: Connections;
  /** @default no mesh */
  readonly mesh?: MeshLayout;
}

/**
 * Addresses, scrape targets and connections of a platform.
 *
 * @throws Error when two add-ons would control engines, or answer for models without a route.
 */
export function layOut(
  planned: Planned & {
    readonly cluster: Cluster;
    readonly addons: readonly ActiveAddon[];
    readonly bundle?: Bundle | undefined;
  },
): Layout {
  const { environment, plan, cluster, addons } = planned;
  const control = onlyDriver(addons.flatMap((addon) => addon.engineControl(planned) ?? []));
  const endpoints = modelEndpoints(plan.models, control);
  const outside = [
    ...plan.externalModels.map(publishedExternal),
    ...addons.flatMap((addon) => addon.outside(planned) ?? []),
  ];
  const services = addons.flatMap((addon) => addon.services(planned) ?? []);
  const quotas = quotasOf(tenantsOf(environment.gateway.consumers, environment.models));
  const runTimeModels = onlyAnswerer(addons.flatMap((addon) => addon.runTimeModels(planned) ?? []));
  const traces = onlyReceiver(addons.flatMap((addon) => addon.traceReceiver(planned) ?? []));
  const { mode } = environment.mesh;
  const targets = [
    ...modelTargets(endpoints),
    ...nodeTargets(endpoints),
    ...gatewayTargets({ ...gatewayProxies, metrics: PROXY_METRICS }),
    ...rateLimiterTargets({ ...rateLimiterPods, port: RATE_LIMITER.metricsPort, rules: quotas.map(quotaRule) }),
    ...(plan.storage.backend ? [] : [modelStoreTarget(storeMetricsPods)]),
    certManagerTarget(certManagerPods),
    ...awsControllers(planned).map(({ name, pods }) => controllerTarget(name, pods)),
    ...(runsKeda(plan.models) ? kedaTargets() : []),
    ...(mode === "off" ? [] : meshTargets({ mode, endpoints, gateway: gatewayProxies, models: plan.models })),
    ...addons.flatMap((addon) => addon.targets(planned) ?? []),
  ];
  const software = gpuSoftware(planned);
  const gpuPools = plan.pools.flatMap((pool) =>
    pool.shape.gpu
      ? [{ vendor: pool.shape.gpu.vendor, ...metricsNodes(pool, { by: cluster.gpuSoftware, software }) }]
      : [],
  );
  const requestSources = addons.flatMap((addon) => addon.requestSource(planned) ?? []);
  const laidOut: LaidOut = { environment, plan, cluster, endpoints, targets, gpuPools, traces, requestSources };
  const declared: Connection[] = [
    ...gatewayConnections({
      endpoints,
      outside,
      services,
      runTimeModels,
      networks: cluster,
      existing: environment.gateway.controller,
      certManager: environment.cluster.certManager,
      countsQuotas: quotas.length > 0,
      tokenIssuer: plan.tokenIssuer,
      acme: environment.gateway.tls.kind === "acme" ? environment.gateway.tls : undefined,
    }),
    ...rdmaDeviceConnections(cluster),
    ...awsControllers(planned).flatMap(({ connections }) => connections(cluster)),
    ...softwareConnections(planned),
    ...(runsKeda(plan.models)
      ? addons.flatMap((addon) => {
          const metricsApi = addon.metricsApi(planned);
          return metricsApi ? kedaConnections(cluster, metricsApi) : [];
        })
      : []),
    ...storeConnections(plan, cluster, {
      isBundled: planned.bundle !== undefined,
      access: environment.storage,
      bucket: storeElsewhere(environment.storage),
    }),
    ...fabricGateConnections(plan.pools, cluster),
    ...servingConnections(plan.models, cluster, environment.storage),
    ...nodeConnections(plan.groups, endpoints, cluster),
    ...addons.flatMap((addon) => addon.connections(laidOut) ?? []),
  ];
  const connected = withHostNetwork(declared, hostNetworkNamespaces(plan.models), cluster);
  const mesh =
    mode === "off"
      ? undefined
      : meshLayout({
          mode,
          namespaces: platformNamespaces(laidOut, addons),
          declared: connected,
          models: plan.models,
          endpoints,
          requestsPerSecond: environment.mesh.requestsPerSecond,
          tokenIssuer: plan.tokenIssuer,
          networks: cluster,
        });
  const connections = new Connections(mesh?.connections ?? connected, environment.cluster.dnsCidrs);
  return { ...laidOut, control, outside, services, runTimeModels, connections, ...(mesh && { mesh }) };
}

/** Of models on the host network. */
function hostNetworkNamespaces(models: DeploymentPlan["models"]): ReadonlySet<string> {
  return new Set(models.flatMap(({ name, nodeLink }) => (nodeLink?.hostNetwork ? [modelNamespaceName(name)] : [])));
}

/** AWS controllers, where applicable. */
function awsControllers(planned: Planned & { readonly cluster: Cluster }) {
  return [
    ...(karpenter(planned) ? [{ name: "karpenter", pods: karpenterPods, connections: karpenterConnections }] : []),
    ...(planned.cluster.aws
      ? [
          {
            name: "load-balancer-controller",
            pods: loadBalancerControllerPods,
            connections: loadBalancerControllerConnections,
          },
        ]
      : []),
  ];
}

function kedaTargets(): ScrapeTarget[] {
  const { operator, metricsServer, webhooks } = KEDA_PODS;
  return [
    controllerTarget("keda-operator", operator),
    controllerTarget("keda-metrics-server", metricsServer),
    controllerTarget("keda-webhooks", webhooks),
  ];
}

/** Of the platform's own software. */
function softwareConnections(planned: Planned & { readonly cluster: Cluster }): Connection[] {
  const software = gpuSoftware(planned);
  return software?.by === "platform"
    ? gpuSoftwareConnections({ makesDrivers: makesDrivers(software.pools, software.image) }, planned.cluster)
    : [];
}

function onlyDriver(drivers: readonly ControlAccess[]): ControlAccess | undefined {
  if (drivers.length > 1) {
    const namespaces = drivers.map(({ client }) => client.namespace).join(" and ");
    throw new Error(`${namespaces} would both drive the engines: one add-on of an environment may have engineControl`);
  }
  return drivers[0];
}

function onlyReceiver(receivers: readonly TracePods[]): TracePods | undefined {
  if (receivers.length > 1) {
    const hosts = receivers.map(({ host }) => host).join(" and ");
    throw new Error(`${hosts} would both receive spans: one add-on of an environment may have traceReceiver`);
  }
  return receivers[0];
}

function onlyAnswerer(answerers: readonly RunTimeModels[]): RunTimeModels | undefined {
  if (answerers.length > 1) {
    const services = answerers.map(({ service }) => service).join(" and ");
    throw new Error(`${services} would both answer for models that no route names: one add-on may have runTimeModels`);
  }
  return answerers[0];
}
