/** Paths of k3s and machine configuration (k3s-io/docs@035acb0), read 2026-11-23. */

/** Settings of k3s. */
export const K3S_CONFIG = "/etc/rancher/k3s/config.yaml";

/** Registry mirrors and credentials; read at the start of k3s. */
export const K3S_REGISTRIES = "/etc/rancher/k3s/registries.yaml";

export const ADMISSION_CONFIG = "/var/lib/rancher/k3s/server/psa.yaml";

export const AUDIT_POLICY = "/var/lib/rancher/k3s/server/audit.yaml";

/** Audit log; rotated files are in the same folder. */
export const AUDIT_LOG = "/var/lib/rancher/k3s/server/logs/audit.log";

/**
 * k3s writes 00-k3s-defaults.conf to this folder at every start, and files named in arguments as
 * 10-… and 20-…. The kubelet reads files by name; later ones override.
 */
export const KUBELET_CONFIG = "/var/lib/rancher/k3s/agent/etc/kubelet.conf.d/50-inference-stacks.conf";

export const KUBELET_SYSCTL = "/etc/sysctl.d/90-kubelet.conf";

/** How long systemd waits for the kubelet on shutdown. */
export const LOGIND_CONFIG = "/etc/systemd/logind.conf.d/90-inference-stacks.conf";
