import { stringify } from "yaml";
import { auditPolicy } from "./audit-policy";
import type { HostFile } from "./host-script";
import { kernelSettings, shutdownDelay } from "./kernel";
import { kubeletConfig, shutdownSeconds } from "./kubelet";
import {
  ADMISSION_CONFIG,
  AUDIT_LOG,
  AUDIT_POLICY,
  K3S_CONFIG,
  K3S_REGISTRIES,
  KUBELET_CONFIG,
  KUBELET_SYSCTL,
  LOGIND_CONFIG,
} from "./paths";
import { admissionConfig, exemptNamespaces } from "./pod-security";
import { registriesFile } from "./registries";
import type { K3sSettings } from "./settings";

/** Files required before the first start of k3s. */
export function k3sFiles(settings: K3sSettings): readonly HostFile[] {
  const { namespaces, kubelet, images } = settings;
  const registries = registriesFile(images);
  return [
    // Kernel settings first: the kubelet of k3s exits without them.
    { path: KUBELET_SYSCTL, mode: "0644", content: kernelSettings() },
    { path: LOGIND_CONFIG, mode: "0644", content: shutdownDelay(shutdownSeconds(kubelet)) },
    { path: K3S_CONFIG, mode: "0600", content: stringify(k3sConfig(settings)) },
    { path: ADMISSION_CONFIG, mode: "0600", content: stringify(admissionConfig(exemptNamespaces(namespaces))) },
    { path: AUDIT_POLICY, mode: "0600", content: stringify(auditPolicy()) },
    { path: KUBELET_CONFIG, mode: "0600", content: stringify(kubeletConfig(kubelet)) },
    ...(registries ? [{ path: K3S_REGISTRIES, mode: "0600", content: registries }] : []),
  ];
}

/**
 * The CIS guide of k3s (k3s-io/docs@035acb0, for v1.29 and newer; flags as in docs/cli/server.md
 * and agent.md), read 2026-11-23, with additions. k3s already forbids anonymous requests and
 * profiling, and delegates kubelet authorization to the API server. Kubelet settings are in its
 * file, because Kubernetes deprecates its flags.
 */
export function k3sConfig({ host, labels, serverNames }: Pick<K3sSettings, "host" | "labels" | "serverNames">): object {
  return {
    "node-name": host.name,
    "write-kubeconfig-mode": "0600",
    "tls-san": [...new Set([host.address, ...serverNames])],
    // Only effective at the first start: existing Secrets stay as they are, and k3s may not start
    // (k3s#13595).
    "secrets-encryption": true,
    // XSalsa20 with an integrity check; the default, aescbc, has none.
    "secrets-encryption-provider": "secretbox",
    "protect-kernel-defaults": true,
    // servicelb gives the gateway ports 80 and 443, and stays enabled.
    disable: ["traefik"],
    "node-label": Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    "kube-apiserver-arg": [
      // Replaces k3s' own list, which is NodeRestriction.
      "enable-admission-plugins=NodeRestriction,EventRateLimit",
      `admission-control-config-file=${ADMISSION_CONFIG}`,
      `audit-policy-file=${AUDIT_POLICY}`,
      `audit-log-path=${AUDIT_LOG}`,
      // Days, files, and MB per file: at most 1.1 GB of disk.
      "audit-log-maxage=30",
      "audit-log-maxbackup=10",
      "audit-log-maxsize=100",
      // Pod tokens expire after an hour instead of a year.
      "service-account-extend-token-expiration=false",
    ],
    "kube-controller-manager-arg": ["terminated-pod-gc-threshold=100"],
  };
}
