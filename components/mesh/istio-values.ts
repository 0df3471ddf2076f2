/**
 * Values of Istio's charts. Keys: manifests/charts at 1.30.3 (istio/istio, read 2026-11-23); their profile `ambient` turns on what
 * that mode needs in istiod, agents and proxies alike.
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

/** Where network plugins lie on nodes: at the usual place (/etc/cni/net.d and /opt/cni/bin), or as these have it. */
export type MeshPlatform = "standard" | "k3s" | "k3d" | "microk8s" | "minikube";

export interface IstioSettings {
  readonly mode: MeshMode;
  readonly stage: Stage;
  readonly platform: MeshPlatform;
  /** How long an answer may stream: what carries it stays for so long when it is replaced. */
  readonly drainSeconds: number;
  /** PEM of authorities that the server of the token issuer's keys is signed by. @default those that istiod's image trusts */
  readonly issuerAuthorities?: string;
}

const RUNTIME_DEFAULT = { type: "RuntimeDefault" };

/**
 * Ports of Envoy Gateway that it encrypts itself, with mutual TLS of its own: configuration of proxies and of the rate limit
 * service (xDS), and that service. Their names say plain gRPC, so that a sidecar would take the TLS for a mistake.
 */
const OWN_TLS_PORTS = "18000,18001,8081";

/**
 * Istio's objects are refused while nobody can check them. By default its webhooks begin open and istiod closes them, which GitOps would
 * undo for ever.
 */
const CLOSED = { base: { validationFailurePolicy: "Fail" } };

/** CRDs. */
export const baseValues: HelmValues = CLOSED;

/** The control plane: it takes pods in, and signs their certificates. */
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
    // Two in production, whatever the load: it is on nobody's way but new pods' and new certificates'.
    autoscaleEnabled: false,
    replicaCount: replicasOf(stage),
    // With two and no room for a third on a small pool, an update that must surge would hang.
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
        // Equal, so that the pods of engines stay in the class that is evicted last.
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
      // Prometheus asks the applications themselves.
      enablePrometheusMerge: false,
      ...(mode === "sidecar" && { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } }),
    },
  };
}

/**
 * What every waypoint has besides its template: two pods in production, apart from each other, of which one stays; and the time to hand
 * on answers that stream. Without it a waypoint that is replaced cuts them off after five seconds (pilot-agent 1.30.3,
 * terminationDrainDuration); with it, it ends with its last connection, or after this.
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

/** The agent that takes pods in on each node, so that no pod needs rights over its own network. */
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
    // Every version of Kubernetes that the platform takes reads the field instead.
    useAppArmorAnnotation: false,
  };
}

/** The agent that encrypts and decrypts for the pods of each node. */
export function ztunnelValues({ drainSeconds }: Pick<IstioSettings, "drainSeconds">): HelmValues {
  // Weights go from the model store to pods through it: as many cores as that takes, for as long as it takes.
  const limit = { cpu: 4, memoryGiB: 1, ephemeralStorageGiB: 0.25 };
  return {
    ...profile("ambient"),
    image: image("istio-ztunnel"),
    logAsJson: true,
    resources: quantities(burstable(MESH_PODS.ztunnel, limit)),
    // The new one takes new connections at once; the old one ends with its last, or after this.
    terminationGracePeriodSeconds: drainSeconds,
  };
}

function profile(mode: MeshMode): HelmValues {
  return mode === "ambient" ? { profile: "ambient" } : {};
}
