/** Standard labels, as recommended by Kubernetes. */
export type Labels = Readonly<Record<string, string>>;

export const LABEL_PREFIX = "inference-stacks.io";

/** Annotation keys, shared by components, policies and reports. */
export const ANNOTATIONS = {
  /** Purpose of an object; a well-known Kubernetes annotation. */
  description: "kubernetes.io/description",
  /** Connections that a NetworkPolicy allows, one line per reason. */
  connections: `${LABEL_PREFIX}/connections`,
  /** Planned GiB on the GPU with least free memory. */
  memoryTotalGiB: `${LABEL_PREFIX}/memory-total-gib`,
  /** Maximum GiB there: upper end of the estimate's interval. */
  memoryMostGiB: `${LABEL_PREFIX}/memory-most-gib`,
  /** GiB that the engine may use there. */
  memoryLimitGiB: `${LABEL_PREFIX}/memory-limit-gib`,
  /** Intended GPU slice of a pod; without it, policies report the slice as a mistake. */
  gpuPart: `${LABEL_PREFIX}/gpu-part`,
  /** Hash of a pod's configuration: a change restarts pods. */
  configHash: `${LABEL_PREFIX}/config-hash`,
  /** Of a route: what authenticates callers, if not the gateway. */
  callers: `${LABEL_PREFIX}/callers`,
  /** Result of a node's last RDMA fabric test, as JSON (docs/fabric-gate.md). */
  fabricTrial: `${LABEL_PREFIX}/fabric-trial`,
  /** Version of a pod's Secret: a change restarts pods, without revealing the value. */
  secretVersion: `${LABEL_PREFIX}/secret-version`,
} as const;

/** Value of `ANNOTATIONS.callers`: the service behind the route authenticates. */
export const CHECKED_BY_SERVICE = "checked-by-service";

export const MODEL_LABEL = `${LABEL_PREFIX}/model`;

/** Label with a pod's role in its model. Rules match `head` of a Ray cluster. */
export const ROLE_LABEL = `${LABEL_PREFIX}/role`;

/**
 * Set to the model's name on namespace, server and pods with host network, which exceptions
 * require.
 */
export const HOST_NETWORK_LABEL = `${LABEL_PREFIX}/host-network`;

/** Pod selector of a workload. Immutable once created: keep it small. */
export function selectorLabels(name: string, instance: string): Labels {
  return { "app.kubernetes.io/name": name, "app.kubernetes.io/instance": instance };
}

/** Selector labels plus descriptive ones. */
export function standardLabels(name: string, instance: string, extra: Labels = {}): Labels {
  return {
    ...selectorLabels(name, instance),
    "app.kubernetes.io/part-of": "inference-stacks",
    "app.kubernetes.io/managed-by": "pulumi",
    ...extra,
  };
}

/** Labels with a meaning to Kubernetes or the platform, by prefix, or without one. */
const TAKEN = {
  prefixes: [
    LABEL_PREFIX,
    "kubernetes.io",
    "k8s.io",
    "argoproj.io",
    "cert-manager.io",
    "gateway.envoyproxy.io",
    "istio.io",
    "elbv2.k8s.aws",
  ],
  names: ["app", "control-plane", "istio-injection", "k8s-app", "grafana_dashboard", "grafana_datasource"],
};

/** Whether a label is reserved, and must not be set on all objects. */
export function isTakenLabel(key: string): boolean {
  const [prefix = "", name] = key.split("/");
  return name === undefined
    ? TAKEN.names.includes(key)
    : TAKEN.prefixes.some((taken) => prefix === taken || prefix.endsWith(`.${taken}`));
}
