import type { IEnvoyProxy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/EnvoyProxy";
import { image } from "../../catalog/images";
import { GATEWAY_NODE_PORTS } from "../../names/gateway-node-ports";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { TraceReceiver } from "../../names/trace-receiver";
import type { Stage } from "../../planner/types";
import { ENVOY_GATEWAY_BUDGET } from "../core/disruption-budget";
import { spread } from "../core/hardened-pod";
import { PRIORITY } from "../core/priority-classes";
import { burstable, type ContainerResources, type ContainerSize } from "../core/resources";
import { ACCESS_LOG, TRACED_ACCESS_LOG } from "./access-log";
import type { IGatewayConfig } from "./ai-gateway-types";
import { gatewayProxies } from "./names";
import { proxyTracing } from "./proxy-tracing";

/** How clients reach the proxies. */
export type Exposure = "LoadBalancer" | "ClusterIP" | "NodePort";

interface ProxySize {
  readonly replicas: number;
  /** What each container asks for, and the CPUs that it may burst to. Its memory limit follows from the bodies it holds. */
  readonly envoy: ContainerSize;
  readonly filter: ContainerSize;
  readonly burstCpu: number;
}

const SIZES: Readonly<Record<Stage, ProxySize>> = {
  production: {
    replicas: 2,
    envoy: { cpu: 1, memoryGiB: 1 },
    filter: { cpu: 0.5, memoryGiB: 0.5 },
    burstCpu: 4,
  },
  development: {
    replicas: 1,
    envoy: { cpu: 0.1, memoryGiB: 0.25 },
    filter: { cpu: 0.1, memoryGiB: 0.125 },
    burstCpu: 2,
  },
};

/** Proxies that run, when none is away. */
export function proxyReplicas(stage: Stage): number {
  return SIZES[stage].replicas;
}

/** The filter reads a copy of each body: it may be as large as Envoy's. */
function resourcesOf(stage: Stage, container: "envoy" | "filter", memoryGiB: number): ContainerResources {
  const { [container]: request, burstCpu } = SIZES[stage];
  return burstable(request, { cpu: burstCpu, memoryGiB });
}

/** As Pod Security `restricted` asks; the group and user are those of Envoy Gateway's defaults. */
const SECURITY_CONTEXT = {
  ...RESTRICTED_CONTAINER,
  privileged: false,
  runAsGroup: 65532,
  runAsNonRoot: true,
  runAsUser: 65532,
  seccompProfile: { type: "RuntimeDefault" as const },
};

/**
 * The script that takes models out of paths runs before the AI gateway's filter reads the path. That one goes behind the last request
 * buffer, and else before all Lua (Envoy AI Gateway 1.0, insertAIGatewayExtProcFilter), whatever Envoy Gateway's own order is.
 */
const SCRIPT_BEFORE_FILTER = { name: "envoy.filters.http.lua", before: "envoy.filters.http.buffer" } as const;

/**
 * Seconds for which a proxy that leaves takes new connections: a load balancer sends them until it has looked at the node
 * three times, every 10 s (network load balancers of AWS and OCI by default), and a look more.
 */
const DEREGISTER_SECONDS = 40;
/**
 * Seconds for which new proxies run next to all old ones before the first of those goes: a load balancer takes as long to send to the new
 * ones, and what a controller's first push breaks shows after 15 s (decision 0043).
 */
const BESIDE_SECONDS = 40;
/** Of the proxies' readiness probe (Envoy Gateway 1.9, internal/infrastructure/kubernetes/proxy/resource.go). */
const READINESS_PERIOD_SECONDS = 5;

export interface ProxyPodsArgs {
  readonly stage: Stage;
  /** Memory limit of Envoy, and of the filter next to it, GiB. */
  readonly memoryGiB: number;
  /** Seconds in which a proxy that leaves finishes its requests; its pod's grace period is 300 s more (Envoy Gateway 1.9). */
  readonly drainSeconds: number;
  readonly exposure: Exposure;
  /** Annotations of the proxies' Service: the settings of a cloud's load balancer. */
  readonly serviceAnnotations?: Readonly<Record<string, string>>;
  /**
   * Address that the load balancer shall have, IPv4. OCI takes a reserved public one from there, MetalLB one of its pools; k3s and
   * the AWS Load Balancer Controller do not read it (oci-cloud-controller-manager 1100ac3, getLoadBalancerIP; aws-load-balancer-controller 225f445).
   * @default whichever the cluster gives it
   */
  readonly loadBalancerIp?: string;
  /** Whether the load balancer sends to the fixed node ports, because the nodes' network opens no others. @default any ports */
  readonly fixedNodePorts?: boolean;
  /** Seconds for which a load balancer sends new connections to a proxy that leaves. @default 40: network load balancers that ask the node */
  readonly deregisterSeconds?: number;
  /** Where it reports spans of requests. @default nowhere */
  readonly traces?: TraceReceiver | undefined;
}

/** Spec of the EnvoyProxy: how the proxy pods of the Gateway run, log and are reached. */
export function envoyProxySpec({
  stage,
  memoryGiB,
  drainSeconds,
  exposure,
  serviceAnnotations = {},
  loadBalancerIp,
  fixedNodePorts = exposure === "NodePort",
  deregisterSeconds = DEREGISTER_SECONDS,
  traces,
}: ProxyPodsArgs): IEnvoyProxy["spec"] {
  const { replicas } = SIZES[stage];
  return {
    filterOrder: [SCRIPT_BEFORE_FILTER],
    provider: {
      type: "Kubernetes",
      kubernetes: {
        envoyDeployment: {
          replicas,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } },
          container: {
            image: image("envoy-proxy"),
            resources: resourcesOf(stage, "envoy", memoryGiB),
            securityContext: SECURITY_CONTEXT,
          },
          pod: {
            priorityClassName: PRIORITY.platform.name,
            topologySpreadConstraints: spread(gatewayProxies.podLabels),
          },
          // Envoy Gateway has no field for minReadySeconds, the drain helper's limits, nor for a scratch volume: with a
          // read-only root the helper writes its marker file to /tmp.
          patch: { type: "StrategicMerge", value: deploymentPatch(deregisterSeconds) },
        },
        envoyPDB: ENVOY_GATEWAY_BUDGET,
        envoyService: {
          type: exposure,
          // Local keeps the client's address, where the load balancer keeps it (components/cluster/load-balancers.ts);
          // a node port must answer on every node.
          externalTrafficPolicy: exposure === "NodePort" ? "Cluster" : "Local",
          ...(Object.keys(serviceAnnotations).length > 0 && { annotations: { ...serviceAnnotations } }),
          ...(loadBalancerIp !== undefined && { loadBalancerIP: loadBalancerIp }),
          ...(fixedNodePorts && { patch: { type: "StrategicMerge", value: NODE_PORT_PATCH } }),
        },
      },
    },
    shutdown: {
      drainTimeout: `${Math.max(drainSeconds, deregisterSeconds)}s`,
      minDrainDuration: `${deregisterSeconds}s`,
    },
    logging: { level: { default: "warn" } },
    telemetry: {
      accessLog: {
        settings: [
          {
            format: { type: "JSON", json: { ...(traces ? TRACED_ACCESS_LOG : ACCESS_LOG) } },
            sinks: [{ type: "File", file: { path: "/dev/stdout" } }],
          },
        ],
      },
      metrics: { prometheus: { disable: false } },
      ...(traces && proxyTracing(traces)),
    },
  };
}

/** Spec of the AI gateway's filter, which runs next to Envoy in each proxy pod. */
export function gatewayConfigSpec({
  stage,
  memoryGiB,
}: Pick<ProxyPodsArgs, "stage" | "memoryGiB">): NonNullable<IGatewayConfig["spec"]> {
  const resources = resourcesOf(stage, "filter", memoryGiB);
  return { extProc: { kubernetes: { resources, securityContext: SECURITY_CONTEXT } } };
}

const deploymentPatch = (deregisterSeconds: number) => ({
  spec: {
    minReadySeconds: BESIDE_SECONDS,
    template: {
      spec: {
        enableServiceLinks: false,
        volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
        containers: [
          {
            name: "envoy",
            volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
            // A proxy that drains says that it is not ready, though it serves: nodes would drop what load balancers still
            // send them. The load balancer itself asks the node, which says at once that the pod is leaving.
            readinessProbe: { failureThreshold: Math.ceil(deregisterSeconds / READINESS_PERIOD_SECONDS) + 1 },
          },
          {
            name: "shutdown-manager",
            resources: burstable({ cpu: 0.01, memoryGiB: 0.03125 }, { cpu: 0.1, memoryGiB: 0.125 }),
            volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
          },
        ],
      },
    },
  },
});

const NODE_PORT_PATCH = {
  spec: {
    ports: [
      { port: 443, nodePort: GATEWAY_NODE_PORTS.https },
      { port: 80, nodePort: GATEWAY_NODE_PORTS.http },
    ],
  },
};
