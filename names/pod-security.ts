import type { Labels } from "./labels";

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
}

/** The only namespaces that are not `restricted`, with the reason; the first row that matches counts. */
export const POD_SECURITY_EXCEPTIONS: readonly PodSecurityException[] = [
  {
    matches: isNamed("beta9"),
    level: "privileged",
    reason: "Beta9's gateway and workers mount file systems (FUSE), and workers start containers of their own",
  },
  {
    matches: isNamed("gpu-metrics"),
    level: "privileged",
    reason: "DCGM and AMD exporters read the GPU driver through host paths and need SYS_ADMIN for profiling counters",
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

/** Level of a namespace: `restricted` unless an exception matches it. */
export function podSecurityLevel(
  namespace: NamespaceIdentity,
  exceptions: readonly PodSecurityException[] = POD_SECURITY_EXCEPTIONS,
): PodSecurityLevel {
  return exceptions.find(({ matches }) => matches(namespace))?.level ?? "restricted";
}
