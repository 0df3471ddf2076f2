import type { IEnvoyProxy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/EnvoyProxy";
import { image } from "../../catalog/images";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Stage } from "../../planner/types";
import { spread } from "../core/hardened-pod";
import { PRIORITY } from "../core/priority-classes";
import { burstable, type ContainerResources, type ContainerSize } from "../core/resources";
import { ACCESS_LOG } from "./access-log";
import type { IGatewayConfig } from "./ai-gateway-types";
import { gatewayProxies } from "./names";

/** How clients reach the proxies. */
export type Exposure = "LoadBalancer" | "ClusterIP" | "NodePort";

/** Fixed node ports, so that the address is known before deployment. */
export const NODE_PORTS = { https: 30443, http: 30080 } as const;

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

/** The filter reads a copy of each body: it may be as large as Envoy beside it. */
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

/** Seconds that a terminating proxy lets running streams finish; the pod's grace period is 300 s more. */
const DRAIN_SECONDS = 300;

export interface ProxyPodsArgs {
  readonly stage: Stage;
  /** Memory limit of Envoy, and of the filter beside it, GiB. */
  readonly memoryGiB: number;
  readonly exposure: Exposure;
  /** Annotations of the proxies' Service: the settings of a cloud's load balancer. */
  readonly serviceAnnotations?: Readonly<Record<string, string>>;
}

/** Spec of the EnvoyProxy: how the proxy pods of the Gateway run, log and are reached. */
export function envoyProxySpec({
  stage,
  memoryGiB,
  exposure,
  serviceAnnotations = {},
}: ProxyPodsArgs): IEnvoyProxy["spec"] {
  const { replicas } = SIZES[stage];
  return {
    provider: {
      type: "Kubernetes",
      kubernetes: {
        envoyDeployment: {
          replicas,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          container: {
            image: image("envoy-proxy"),
            resources: resourcesOf(stage, "envoy", memoryGiB),
            securityContext: SECURITY_CONTEXT,
          },
          pod: {
            priorityClassName: PRIORITY.platform.name,
            topologySpreadConstraints: spread(gatewayProxies.podLabels),
          },
          // Envoy Gateway has no field for the drain helper's limits, nor for a scratch volume: with a read-only
          // root the helper writes its marker file to /tmp.
          patch: { type: "StrategicMerge", value: DEPLOYMENT_PATCH },
        },
        envoyPDB: { maxUnavailable: 1 },
        envoyService: {
          type: exposure,
          // Local keeps the client's address, where the load balancer keeps it (components/cluster/load-balancers.ts);
          // a node port must answer on every node.
          externalTrafficPolicy: exposure === "NodePort" ? "Cluster" : "Local",
          ...(Object.keys(serviceAnnotations).length > 0 && { annotations: { ...serviceAnnotations } }),
          ...(exposure === "NodePort" && { patch: { type: "StrategicMerge", value: NODE_PORT_PATCH } }),
        },
      },
    },
    shutdown: { drainTimeout: `${DRAIN_SECONDS}s`, minDrainDuration: "15s" },
    logging: { level: { default: "warn" } },
    telemetry: {
      accessLog: {
        settings: [
          {
            format: { type: "JSON", json: { ...ACCESS_LOG } },
            sinks: [{ type: "File", file: { path: "/dev/stdout" } }],
          },
        ],
      },
      metrics: { prometheus: { disable: false } },
    },
  };
}

/** Spec of the AI gateway's filter, which runs beside Envoy in each proxy pod. */
export function gatewayConfigSpec({
  stage,
  memoryGiB,
}: Pick<ProxyPodsArgs, "stage" | "memoryGiB">): NonNullable<IGatewayConfig["spec"]> {
  const resources = resourcesOf(stage, "filter", memoryGiB);
  return { extProc: { kubernetes: { resources, securityContext: SECURITY_CONTEXT } } };
}

const DEPLOYMENT_PATCH = {
  spec: {
    template: {
      spec: {
        enableServiceLinks: false,
        volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
        containers: [
          { name: "envoy", volumeMounts: [{ name: "tmp", mountPath: "/tmp" }] },
          {
            name: "shutdown-manager",
            resources: burstable({ cpu: 0.01, memoryGiB: 0.03125 }, { cpu: 0.1, memoryGiB: 0.125 }),
            volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
          },
        ],
      },
    },
  },
};

const NODE_PORT_PATCH = {
  spec: {
    ports: [
      { port: 443, nodePort: NODE_PORTS.https },
      { port: 80, nodePort: NODE_PORTS.http },
    ],
  },
};
