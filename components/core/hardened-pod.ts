import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Labels } from "../../names/labels";
import { PRIVILEGED_CONTAINER, RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Apart } from "../../planner/availability/spread";
import { ZONE_LABEL } from "../../planner/availability/zone-label";
import type { Taint } from "../../planner/types";
import type { ContainerResources } from "./resources";

type Container = kubernetes.types.input.core.v1.Container;
type PodSpec = kubernetes.types.input.core.v1.PodSpec;
type Volume = kubernetes.types.input.core.v1.Volume;

/**
 * Topology spread constraint without outputs, also valid in custom resources with pod templates.
 */
export interface TopologySpread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: "ScheduleAnyway" | "DoNotSchedule";
  readonly minDomains?: number;
  readonly nodeTaintsPolicy?: "Honor";
  readonly labelSelector: { matchLabels: Record<string, string> };
}

/** A container without hardened fields. Resources are required. */
export type HardenedContainer = Omit<Container, "securityContext" | "resources" | "image"> & {
  readonly image: string;
  readonly resources: ContainerResources;
  /** Writable absolute paths; each is an emptyDir, because the root file system is read-only. */
  readonly writablePaths?: readonly string[];
  /**
   * Access to all device files of the node: privileged, but with the same user and no capabilities.
   * Only in excepted namespaces (names/pod-security.ts).
   * @default none
   */
  readonly hostDevices?: boolean;
};

export interface HardenedPodArgs {
  readonly containers: readonly HardenedContainer[];
  readonly initContainers?: readonly HardenedContainer[];
  readonly volumes?: readonly Volume[];
  /** @default the namespace's default account, without a token */
  readonly serviceAccountName?: pulumi.Input<string>;
  /** Mount a service account token: only for users of the Kubernetes API. @default false */
  readonly usesKubernetesApi?: boolean;
  /** Numeric user and group of all containers; never 0. @default 65532 (the common "nonroot") */
  readonly user?: number;
  /** Groups of host device files (Radeon: the gid of `render`). */
  readonly supplementalGroups?: pulumi.Input<number[]>;
  readonly nodeSelector?: Labels;
  /** Allowed zones. @default those of the selected nodes */
  readonly zones?: readonly string[];
  readonly tolerations?: readonly Taint[];
  readonly priorityClassName?: pulumi.Input<string>;
  readonly runtimeClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: "Always" | "OnFailure" | "Never";
  readonly affinity?: kubernetes.types.input.core.v1.Affinity;
  readonly topologySpreadConstraints?: kubernetes.types.input.core.v1.TopologySpreadConstraint[];
  /**
   * Use the node's network: outside NetworkPolicies, with the node's address and ports.
   * @default pod network
   */
  readonly hostNetwork?: boolean;
}

/**
 * Pod spec of every platform workload: Pod Security `restricted`, read-only root, no unused service
 * account token. No service links: a Service called `vllm` would inject `VLLM_PORT` and break vLLM.
 */
export function hardenedPodSpec(args: HardenedPodArgs): PodSpec {
  const user = args.user ?? 65532;
  if (user === 0) {
    throw new Error("a hardened pod cannot run as root: give a non-zero user");
  }
  const containers = args.containers.map(hardenedContainer);
  const initContainers = (args.initContainers ?? []).map(hardenedContainer);
  const scratch = [...containers, ...initContainers].flatMap((c) => c.scratch);
  const volumes = [...(args.volumes ?? []), ...scratch];
  const { nodeSelector = {}, tolerations = [] } = args;
  const usesApi = args.usesKubernetesApi ?? false;
  return {
    ...(args.serviceAccountName !== undefined && { serviceAccountName: args.serviceAccountName }),
    automountServiceAccountToken: usesApi,
    enableServiceLinks: false,
    // The default uses the node's resolver, which cannot resolve Services.
    ...(args.hostNetwork && { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      // Recursive ownership changes take minutes on large model volumes; check only the root.
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
      ...(args.supplementalGroups && { supplementalGroups: args.supplementalGroups }),
    },
    ...(initContainers.length > 0 && { initContainers: initContainers.map((c) => c.container) }),
    containers: containers.map((c) => c.container),
    ...(volumes.length > 0 && { volumes }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations.length > 0 && { tolerations: tolerations.map(toleration) }),
    ...(args.priorityClassName !== undefined && { priorityClassName: args.priorityClassName }),
    ...(args.runtimeClassName && { runtimeClassName: args.runtimeClassName }),
    ...((args.affinity || args.zones) && {
      affinity: { ...args.affinity, ...(args.zones && { nodeAffinity: inZones(args.zones) }) },
    }),
    ...(args.topologySpreadConstraints && { topologySpreadConstraints: args.topologySpreadConstraints }),
    terminationGracePeriodSeconds: args.terminationGracePeriodSeconds ?? 30,
    restartPolicy: args.restartPolicy ?? "Always",
  };
}

function inZones(zones: readonly string[]): kubernetes.types.input.core.v1.NodeAffinity {
  const matchExpressions = [{ key: ZONE_LABEL, operator: "In", values: [...zones] }];
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } };
}

/**
 * Spread of replicas in their pool's zones. kube-scheduler counts zones of selected nodes.
 * Karpenter counts those of all tolerated NodePools, narrowed only by the pod's zones
 * (topologydomaingroup.go, topologynodefilter.go), and would wait for a zone outside the pool.
 */
export function spreadInZones(
  pods: Labels,
  apart: Apart = ANYWHERE,
): Pick<HardenedPodArgs, "topologySpreadConstraints" | "zones"> {
  const { zones, zoneNames } = apart;
  return {
    topologySpreadConstraints: spread(pods, apart),
    ...(zones > 1 && zoneNames && { zones: zoneNames }),
  };
}

/**
 * Spreads replicas over zones and nodes. Full nodes must not block a start, unless the plan
 * guarantees separation: then a replica waits. Cordoned and tainted nodes do not count
 * (nodeTaintsPolicy, stable since Kubernetes 1.33; minDomains since 1.30).
 */
export function spread(pods: Labels, { nodes, zones }: Apart = ANYWHERE): TopologySpread[] {
  const least = { [ZONE_LABEL]: zones, "kubernetes.io/hostname": nodes };
  return Object.entries(least).map(([topologyKey, minDomains]) => ({
    maxSkew: 1,
    topologyKey,
    ...(minDomains > 1
      ? { whenUnsatisfiable: "DoNotSchedule", minDomains, nodeTaintsPolicy: "Honor" }
      : { whenUnsatisfiable: "ScheduleAnyway" }),
    labelSelector: { matchLabels: { ...pods } },
  }));
}

const ANYWHERE: Apart = { nodes: 1, zones: 1 };

/** One container of such a pod, and the volumes of what it may write. */
export function hardenedContainer({
  writablePaths = [],
  hostDevices = false,
  resources,
  ...container
}: HardenedContainer): {
  container: Container;
  scratch: Volume[];
} {
  const scratch = writablePaths.map((path) => ({ path, volume: scratchName(String(container.name), path) }));
  const mounts = scratch.map(({ path, volume }) => ({ name: volume, mountPath: path }));
  const { volumeMounts, ...own } = container;
  const allMounts = [...((volumeMounts as kubernetes.types.input.core.v1.VolumeMount[] | undefined) ?? []), ...mounts];
  return {
    container: {
      ...own,
      imagePullPolicy: container.imagePullPolicy ?? "IfNotPresent",
      resources: { requests: { ...resources.requests }, limits: { ...resources.limits } },
      ...(allMounts.length > 0 && { volumeMounts: allMounts }),
      securityContext: {
        ...(hostDevices ? PRIVILEGED_CONTAINER : RESTRICTED_CONTAINER),
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      },
    },
    scratch: scratch.map(({ volume }) => ({ name: volume, emptyDir: {} })),
  };
}

function scratchName(container: string, path: string): string {
  return `${container}${path.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`.replace(/-+$/, "").slice(0, 63);
}

/** Toleration of a taint; plain data, for chart values too. */
export function toleration(taint: Taint): Record<"key" | "operator" | "effect", string> & { value?: string } {
  return taint.value === undefined
    ? { key: taint.key, operator: "Exists", effect: taint.effect }
    : { key: taint.key, operator: "Equal", value: taint.value, effect: taint.effect };
}
