/**
 * Values of Istio's charts. Keys: manifests/charts at 1.30.3 (istio/istio, read 2026-11-23). The
 * profile `ambient` configures that mode in istiod, agents and proxies.
 */

import { image } from "../../catalog/images";
import { ISTIO_NAMESPACE } from "../../names/namespaces";
import { MESH_PODS } from "../../planner/mesh-reserve";
import { MESH_PROXY } from "../../planner/sidecars";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { EVICTS_UNREADY_PODS, ONE_AT_A_TIME } from "../core/disruption-budget";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, guaranteed, quantities } from "../core/resources";
import type { MeshMode } from "./mode";
import { ISTIO_PODS, TRUST_DOMAIN } from "./names";
import { WAYPOINT_LABELS } from "./targets";

/**
 * CNI folders on nodes: the defaults (/etc/cni/net.d and /opt/cni/bin), or those of the
 * distribution.
 */
export type MeshPlatform = "standard" | "k3s" | "k3d" | "microk8s" | "minikube";

export interface IstioSettings {
  readonly mode: MeshMode;
  readonly stage: Stage;
  readonly platform: MeshPlatform;
  /** Maximum streaming time: replaced proxies stay this long. */
  readonly drainSeconds: number;
  /** PEM CA certificates of the token issuer's key server. @default those of istiod's image */
  readonly issuerAuthorities?: string;
}

const RUNTIME_DEFAULT = { type: "RuntimeDefault" };

/**
 * Envoy Gateway ports with their own mutual TLS: xDS of proxies and rate limit service, and that
 * service. Named like plain gRPC, so a sidecar would fail on the TLS.
 */
const OWN_TLS_PORTS = "18000,18001,8081";

/**
 * Reject Istio objects while they cannot be validated. By default istiod changes the webhooks,
 * which GitOps would keep reverting.
 */
const CLOSED = { base: { validationFailurePolicy: "Fail" } };

/** CRDs. */
export const baseValues: HelmValues = CLOSED;

/** Control plane: adds pods to the mesh and signs their certificates. */
export function istiodValues({
  mode,
  stage,
  drainSeconds,
  issuerAuthorities,
}: Pick<IstioSettings, "mode" | "stage" | "drainSeconds" | "issuerAuthorities">): HelmValues {
  const limit = { cpu: 2, memoryGiB: 2, ephemeralStorageGiB: 1 };
  return {
    ...profile(mode),
    ...CLOSED,
    image: image("istio-pilot"),
    // Two in production regardless of load: only new pods and certificates need it.
    autoscaleEnabled: false,
    replicaCount: replicasOf(stage),
    // With two and no room for a third in a small pool, a surging update would hang.
    rollingMaxSurge: stage === "production" ? 1 : "100%",
    rollingMaxUnavailable: stage === "production" ? 1 : 0,
    pdb: { ...EVICTS_UNREADY_PODS },
    resources: quantities(burstable(MESH_PODS.istiod, limit)),
    seccompProfile: RUNTIME_DEFAULT,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: { ...ISTIO_PODS.istiod.podLabels } },
      },
    ],
    cni: { enabled: true },
    env: { ENABLE_NATIVE_SIDECARS: "true" },
    global: {
      istioNamespace: ISTIO_NAMESPACE,
      logAsJson: true,
      priorityClassName: PRIORITY.platform.name,
      proxy: {
        image: image("istio-proxyv2"),
        // Equal, so that engine pods stay Guaranteed.
        resources: quantities(guaranteed(MESH_PROXY)),
        seccompProfile: RUNTIME_DEFAULT,
        ...(mode === "sidecar" && { excludeInboundPorts: OWN_TLS_PORTS, excludeOutboundPorts: OWN_TLS_PORTS }),
      },
      proxy_init: { image: image("istio-proxyv2") },
      waypoint: { resources: quantities(guaranteed(MESH_PODS.waypoint)) },
    },
    gateways: { seccompProfile: RUNTIME_DEFAULT },
    ...(mode === "ambient" && { gatewayClasses: { "istio-waypoint": waypointOverlay(stage, drainSeconds) } }),
    ...(issuerAuthorities !== undefined && { jwksResolverExtraRootCA: issuerAuthorities }),
    meshConfig: {
      trustDomain: TRUST_DOMAIN,
      // Gateway and nodes log requests; ztunnels log connections.
      accessLogFile: "",
      // Prometheus scrapes applications directly.
      enablePrometheusMerge: false,
      ...(mode === "sidecar" && { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } }),
    },
  };
}

/**
 * Additional waypoint settings: two separated pods in production, one always available, and drain
 * time for streams. By default a replaced waypoint cuts them after five seconds (pilot-agent
 * 1.30.3, terminationDrainDuration).
 */
function waypointOverlay(stage: Stage, drainSeconds: number): HelmValues {
  return {
    deployment: {
      spec: {
        replicas: replicasOf(stage),
        template: {
          spec: {
            priorityClassName: PRIORITY.platform.name,
            terminationGracePeriodSeconds: drainSeconds,
            containers: [{ name: "istio-proxy", env: [{ name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS", value: "true" }] }],
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: "kubernetes.io/hostname",
                whenUnsatisfiable: "ScheduleAnyway",
                labelSelector: { matchLabels: { ...WAYPOINT_LABELS } },
              },
            ],
          },
        },
      },
    },
    podDisruptionBudget: { spec: { ...ONE_AT_A_TIME } },
  };
}

/** Node agent that adds pods to the mesh, so that pods need no network permissions. */
export function cniValues({ mode, platform }: Pick<IstioSettings, "mode" | "platform">): HelmValues {
  const limit = { cpu: 0.5, memoryGiB: 0.5, ephemeralStorageGiB: 0.25 };
  return {
    ...profile(mode),
    image: image("istio-cni"),
    global: {
      logAsJson: true,
      ...(platform !== "standard" && { platform }),
    },
    resources: quantities(burstable(MESH_PODS.cni, limit)),
    seccompProfile: RUNTIME_DEFAULT,
    // All supported Kubernetes versions read the field instead.
    useAppArmorAnnotation: false,
  };
}

/** Node agent that encrypts for the node's pods. */
export function ztunnelValues({ drainSeconds }: Pick<IstioSettings, "drainSeconds">): HelmValues {
  // Carries model weights from the store to pods: cores for that throughput.
  const limit = { cpu: 4, memoryGiB: 1, ephemeralStorageGiB: 0.25 };
  return {
    ...profile("ambient"),
    image: image("istio-ztunnel"),
    logAsJson: true,
    resources: quantities(burstable(MESH_PODS.ztunnel, limit)),
    // The new agent accepts connections at once; the old one ends at latest at this limit.
    terminationGracePeriodSeconds: drainSeconds,
  };
}

function profile(mode: MeshMode): HelmValues {
  return mode === "ambient" ? { profile: "ambient" } : {};
}
