/** Pod Security Admission levels of Kubernetes. */
export type PodSecurityLevel = "restricted" | "baseline" | "privileged";

/**
 * The only namespaces that are not `restricted`, with the reason. A namespace that asks for another level
 * and is not in this list is refused when it is constructed.
 */
export const POD_SECURITY_EXCEPTIONS: Readonly<Record<string, { level: PodSecurityLevel; reason: string }>> = {
  beta9: {
    level: "privileged",
    reason: "Beta9's gateway and workers mount file systems (FUSE), and workers start containers of their own",
  },
  "gpu-metrics": {
    level: "privileged",
    reason: "DCGM and AMD exporters read the GPU driver through host paths and need SYS_ADMIN for profiling counters",
  },
  "node-metrics": {
    level: "privileged",
    reason: "node-exporter reads /proc and /sys of the host and uses its network and PID namespaces",
  },
};

/** What every container of ours and of charts must not do; that it is no root, and its seccomp profile, pod or container say. */
export const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** Level of a namespace: `restricted` unless the list above names it. */
export function podSecurityLevel(namespace: string): PodSecurityLevel {
  return POD_SECURITY_EXCEPTIONS[namespace]?.level ?? "restricted";
}
