/** Where k3s and the machine look for what sets k3s up. By the documentation of k3s (k3s-io/docs@035acb0), read 2026-11-23. */

/** Settings of k3s. */
export const K3S_CONFIG = "/etc/rancher/k3s/config.yaml";

/** Mirrors of registries and what opens them; k3s reads it when it starts. */
export const K3S_REGISTRIES = "/etc/rancher/k3s/registries.yaml";

/** What the API server's admission plugins are told. */
export const ADMISSION_CONFIG = "/var/lib/rancher/k3s/server/psa.yaml";

/** What of requests the API server writes down. */
export const AUDIT_POLICY = "/var/lib/rancher/k3s/server/audit.yaml";

/** Where it writes it; old files are beside it. */
export const AUDIT_LOG = "/var/lib/rancher/k3s/server/logs/audit.log";

/**
 * k3s writes 00-k3s-defaults.conf beside it at every start, and copies of what arguments name as 10-… and 20-…; the kubelet
 * reads all of the folder in the order of the names, and what comes later counts.
 */
export const KUBELET_CONFIG = "/var/lib/rancher/k3s/agent/etc/kubelet.conf.d/50-inference-stacks.conf";

/** Settings of the kernel that the kubelet insists on. */
export const KUBELET_SYSCTL = "/etc/sysctl.d/90-kubelet.conf";

/** How long systemd waits for the kubelet before a machine goes down. */
export const LOGIND_CONFIG = "/etc/systemd/logind.conf.d/90-inference-stacks.conf";
