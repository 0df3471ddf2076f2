import { HOST_NETWORK_LABEL, type Labels } from "./labels";
import {
  FABRIC_GATE_HOST_NAMESPACE,
  modelNamespaceName,
  NODE_CACHE_NAMESPACE,
  NODE_LOGS_NAMESPACE,
  RANCHER_FLEET_NAMESPACE,
  RANCHER_NAMESPACE,
} from "./namespaces";
import { NODE_CACHE } from "./node-cache";

export type PodSecurityLevel = "restricted" | "baseline" | "privileged";

/** Properties of a namespace that determine its level. */
export interface NamespaceIdentity {
  readonly name: string;
  readonly labels: Labels;
}

export interface PodSecurityException {
  readonly matches: (namespace: NamespaceIdentity) => boolean;
  readonly level: Exclude<PodSecurityLevel, "restricted">;
  readonly reason: string;
  /** The only object of ours that needs the level. @default none: only pods of charts */
  readonly own?: { readonly kind: "DaemonSet" | "Deployment"; readonly name: string };
  /** Objects of ours that need part of the level, otherwise `restricted`. @default none */
  readonly partly?: PartialException;
}

/** Labelled objects of a kind, and the Pod Security fields their pods omit. */
export interface PartialException {
  readonly kind: string;
  readonly label: string;
  /** Pod spec fields. */
  readonly ofPods: readonly string[];
  /** securityContext fields of the first, working container; other containers omit none. */
  readonly ofFirstContainer: readonly string[];
}

/** All namespaces that are not `restricted`, with reasons; the first match applies. */
export const POD_SECURITY_EXCEPTIONS: readonly PodSecurityException[] = [
  {
    matches: isNamed("beta9"),
    level: "privileged",
    reason: "Beta9's gateway and workers mount file systems (FUSE), and workers start containers of their own",
  },
  {
    matches: isNamed("calico-system"),
    level: "privileged",
    reason: "Calico's agents write each node's packet filter: host network, its modules and its lock",
    own: { kind: "DaemonSet", name: "calico-node" },
  },
  {
    matches: isNamed(RANCHER_FLEET_NAMESPACE),
    level: "baseline",
    reason: "Fleet's agent, which the Rancher server installs, sets no seccomp profile",
  },
  {
    matches: isNamed(RANCHER_NAMESPACE),
    level: "baseline",
    reason:
      "Rancher's agent runs as root, as it writes the server's authority below /etc, and keeps state in its image; the webhook that it installs sets no user and no seccomp profile",
    own: { kind: "Deployment", name: "cattle-cluster-agent" },
  },
  {
    matches: isNamed(FABRIC_GATE_HOST_NAMESPACE),
    level: "privileged",
    reason:
      "Trials of a pool with rdma.access: host-network reach the RDMA network as its models do: host network, and a container that opens device files",
    partly: {
      kind: "CronJob",
      label: HOST_NETWORK_LABEL,
      ofPods: ["hostNetwork"],
      ofFirstContainer: ["privileged", "allowPrivilegeEscalation"],
    },
  },
  {
    matches: isNamed("gpu-metrics"),
    level: "privileged",
    reason: "DCGM and AMD exporters read the GPU driver through host paths and need SYS_ADMIN for profiling counters",
  },
  {
    // The label must name the model, so that other namespaces cannot use it.
    matches: ({ name, labels }) => {
      const model = labels[HOST_NETWORK_LABEL];
      return model !== undefined && name === modelNamespaceName(model);
    },
    level: "privileged",
    reason:
      "Replicas that span nodes reach the RDMA network through their nodes' own devices (pools.<name>.rdma.access: host-network): host network, and a container that opens device files, which no device plugin gives it",
    partly: {
      kind: "LeaderWorkerSet",
      label: HOST_NETWORK_LABEL,
      ofPods: ["hostNetwork"],
      // Kubernetes refuses `privileged` if escalation is forbidden.
      ofFirstContainer: ["privileged", "allowPrivilegeEscalation"],
    },
  },
  {
    matches: isNamed("gpu-software"),
    level: "privileged",
    reason:
      "Drivers are loaded into the node's kernel, toolkits change its container runtime, and device plugins hand its devices to the kubelet",
  },
  {
    matches: isNamed("istio-system"),
    level: "privileged",
    reason:
      "Istio's agents enter the network namespaces of pods (NET_ADMIN, SYS_ADMIN) and write the node's network plugins, so that no pod of the platform needs such rights",
  },
  {
    matches: isNamed(NODE_CACHE_NAMESPACE),
    level: "privileged",
    reason:
      "Caches of weights write one folder of their nodes, which the kubelet creates as root's: as root, without capabilities",
    own: { kind: "DaemonSet", name: NODE_CACHE },
  },
  {
    matches: isNamed(NODE_LOGS_NAMESPACE),
    level: "privileged",
    reason:
      "Log collectors read the log files of the platform's pods in /var/log/pods of the host, read-only and without root",
    own: { kind: "DaemonSet", name: "log-collector" },
  },
  {
    matches: isNamed("node-metrics"),
    level: "privileged",
    reason: "node-exporter reads /proc and /sys of the host and uses its network and PID namespaces",
  },
];

function isNamed(name: string): PodSecurityException["matches"] {
  return (namespace) => namespace.name === name;
}

/** Restrictions of every container; pod or container set non-root and seccomp. */
export const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** Restrictions of a root container with a port below 1024, in a `baseline` namespace. */
export const ROOT_CONTAINER = {
  allowPrivilegeEscalation: false,
  runAsUser: 0,
  runAsGroup: 0,
  capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] },
};

/** Same for a container with all device files: privileged, but not root. */
export const PRIVILEGED_CONTAINER = {
  privileged: true,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** Level of a namespace, by default `restricted`. */
export function podSecurityLevel(
  namespace: NamespaceIdentity,
  exceptions: readonly PodSecurityException[] = POD_SECURITY_EXCEPTIONS,
): PodSecurityLevel {
  return exceptions.find(({ matches }) => matches(namespace))?.level ?? "restricted";
}

/** Level that an object of ours may need; undefined: `restricted`. */
export function exceptedLevel(object: {
  kind: string | undefined;
  name: string | undefined;
  namespace: string | undefined;
}): PodSecurityException["level"] | undefined {
  const { kind, name, namespace } = object;
  return POD_SECURITY_EXCEPTIONS.find(
    ({ matches, own }) =>
      own !== undefined &&
      own.kind === kind &&
      own.name === name &&
      namespace !== undefined &&
      matches({ name: namespace, labels: {} }),
  )?.level;
}

/** Pod Security fields that an object's pods may omit, by its labels. */
export function partialException({
  kind,
  labels,
}: {
  kind: string | undefined;
  labels: Labels;
}): PartialException | undefined {
  return POD_SECURITY_EXCEPTIONS.map(({ partly }) => partly).find(
    (partly) => partly !== undefined && partly.kind === kind && labels[partly.label] !== undefined,
  );
}
