/**
 * Versions of Envoy Gateway 1.9, the narrowest of all components. Source: envoyproxy/gateway
 * site/content/en/news/releases/matrix.md at v1.9.0, read 2026-11-23. Update with the chart
 * `gateway-helm`.
 */
export const SUPPORTED_KUBERNETES = { oldestMinor: 33, newestMinor: 36 } as const;

/** Why it is not more, for messages. */
export const SUPPORTED_KUBERNETES_BY = "Envoy Gateway 1.9";

/** `1.33 to 1.36` */
export function supportedKubernetes(): string {
  const { oldestMinor, newestMinor } = SUPPORTED_KUBERNETES;
  return `1.${oldestMinor} to 1.${newestMinor}`;
}

/** "v1.34.1" or "v1.33.4+k3s1"; undefined for other text. */
export function kubernetesMinor(version: string): number | undefined {
  const minor = /^v?1\.(?<minor>\d{1,3})(?=[.+]|$)/.exec(version)?.groups?.minor;
  return minor === undefined ? undefined : Number(minor);
}

/** Undefined for what is no version of Kubernetes. */
export function isSupportedKubernetes(version: string): boolean | undefined {
  const minor = kubernetesMinor(version);
  return minor === undefined
    ? undefined
    : minor >= SUPPORTED_KUBERNETES.oldestMinor && minor <= SUPPORTED_KUBERNETES.newestMinor;
}

/** Required by cgroup v2 (kubernetes.io, About cgroup v2). The check of k3s machines repeats it. */
export const LEAST_KERNEL = "5.8";
