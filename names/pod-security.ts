import { HOST_NETWORK_LABEL, type Labels } from "./labels";
import {
  FABRIC_GATE_HOST_NAMESPACE,
  modelNamespaceName,
  NODE_LOGS_NAMESPACE,
  RANCHER_FLEET_NAMESPACE,
  RANCHER_NAMESPACE,
} from "./namespaces";

/** Pod Security Admission levels of Kubernetes. */
export type PodSecurityLevel = "restricted" | "baseline" | "privileged";

/** A namespace, as far as its level depends on it. */
export interface NamespaceIdentity {
  readonly name: string;
  readonly labels: Labels;
}

export interface PodSecurityException {
  readonly matches: (namespace: NamespaceIdentity) => boolean;
  readonly level: Exclude<PodSecurityLevel, "restricted">;
  readonly reason: string;
  /** The one object of ours whose pods ask for the level, by kind and name. @default none: the pods of charts alone */
  readonly own?: { readonly kind: "DaemonSet" | "Deployment"; readonly name: string };
  /** Objects of ours whose pods ask for a part of the level, and are `restricted` in all else. @default none */
  readonly partly?: PartialException;
}

/** Objects of a kind that bear a label, and what of Pod Security their pods leave out. */
export interface PartialException {
  readonly kind: string;
  readonly label: string;
  /** Fields of the pods' specs. */
  readonly ofPods: readonly string[];
  /** Fields of the securityContext of their first container, which is the one that does their work; others leave out nothing. */
  readonly ofFirstContainer: readonly string[];
}

/** The only namespaces that are not `restricted`, with the reason; the first row that matches counts. */
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
    // The label names the model, so that no other namespace gets the level by it.
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
      // Kubernetes takes `privileged` only where escalation is not forbidden.
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

/** What every container of ours and of charts must not do; that it is no root, and its seccomp profile, pod or container say. */
export const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** What a container of a `baseline` namespace keeps that needs root and a port below 1024. */
export const ROOT_CONTAINER = {
  allowPrivilegeEscalation: false,
  runAsUser: 0,
  runAsGroup: 0,
  capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] },
};

/** The same of a container that opens all device files of its node: it may not keep from escalating, and is no root all the same. */
export const PRIVILEGED_CONTAINER = {
  privileged: true,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** Level of a namespace: `restricted` unless an exception matches it. */
export function podSecurityLevel(
  namespace: NamespaceIdentity,
  exceptions: readonly PodSecurityException[] = POD_SECURITY_EXCEPTIONS,
): PodSecurityLevel {
  return exceptions.find(({ matches }) => matches(namespace))?.level ?? "restricted";
}

/** Level that an object of ours may ask for, and not only the pods of charts in its namespace; undefined: `restricted`. */
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

/** What of Pod Security the pods of an object of ours may leave out, because its labels say that they must. */
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
