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

/** A topology spread constraint without outputs: it also fits custom resources that hold pod templates. */
export interface TopologySpread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: "ScheduleAnyway" | "DoNotSchedule";
  readonly minDomains?: number;
  readonly nodeTaintsPolicy?: "Honor";
  readonly labelSelector: { matchLabels: Record<string, string> };
}

/** A container, minus what hardening decides. Resources are required: nothing runs unbounded. */
export type HardenedContainer = Omit<Container, "securityContext" | "resources" | "image"> & {
  /** Pinned image reference, from the catalogue. */
  readonly image: string;
  readonly resources: ContainerResources;
  /** Absolute paths that must be writable; each gets its own emptyDir, since the root file system is read-only. */
  readonly writablePaths?: readonly string[];
  /**
   * All device files of its node: the container is privileged, though its user stays what it is, without capabilities.
   * Only in a namespace that is excepted (names/pod-security.ts). @default none
   */
  readonly hostDevices?: boolean;
};

export interface HardenedPodArgs {
  readonly containers: readonly HardenedContainer[];
  readonly initContainers?: readonly HardenedContainer[];
  readonly volumes?: readonly Volume[];
  /** @default the namespace's default account, without a token */
  readonly serviceAccountName?: pulumi.Input<string>;
  /** Mount a service-account token: only for pods that call the Kubernetes API. @default false */
  readonly usesKubernetesApi?: boolean;
  /** Numeric user and group of all containers; never 0. @default 65532 (the customary "nonroot") */
  readonly user?: number;
  /** Groups of the host's device files (Radeon: the gid of `render`). */
  readonly supplementalGroups?: pulumi.Input<number[]>;
  readonly nodeSelector?: Labels;
  /** Names of the zones that it may run in. @default those of the nodes that it selects */
  readonly zones?: readonly string[];
  readonly tolerations?: readonly Taint[];
  readonly priorityClassName?: pulumi.Input<string>;
  readonly runtimeClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: "Always" | "OnFailure" | "Never";
  readonly affinity?: kubernetes.types.input.core.v1.Affinity;
  readonly topologySpreadConstraints?: kubernetes.types.input.core.v1.TopologySpreadConstraint[];
  /** On the network of its node: outside of NetworkPolicies, with the node's address and ports. @default a network of its own */
  readonly hostNetwork?: boolean;
}

/**
 * The pod spec of every workload that is ours: it passes Pod Security `restricted`, has a read-only root,
 * no service-account token unless it is used, and no service links (a Service called `vllm` would inject
 * `VLLM_PORT` and break vLLM).
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
    // By default such pods ask their node's resolver, which knows no Service.
    ...(args.hostNetwork && { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      // A large model volume takes minutes to re-own file by file; only its root decides.
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
 * Replicas that are spread, in the zones of their pool. kube-scheduler counts the zones of the nodes that a pod selects. Karpenter counts those
 * of all NodePools whose taints the pod tolerates, narrowed by the pod's own zones alone (topologydomaingroup.go, topologynodefilter.go), and
 * creates no node for a second replica in a zone while one that the pool has no nodes in is empty.
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
 * Spread replicas over zones where there are some, and over nodes. A full node must not block a start, unless the plan promises that
 * replicas are apart: then a replica waits until there are so many nodes, or zones, with a place for one each. Nodes that are cordoned or
 * tainted are none of them (nodeTaintsPolicy, stable since Kubernetes 1.33; minDomains since 1.30).
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

/** What lets a pod onto nodes with a taint; plain data, since chart values take it too. */
export function toleration(taint: Taint): Record<"key" | "operator" | "effect", string> & { value?: string } {
  return taint.value === undefined
    ? { key: taint.key, operator: "Exists", effect: taint.effect }
    : { key: taint.key, operator: "Equal", value: taint.value, effect: taint.effect };
}
