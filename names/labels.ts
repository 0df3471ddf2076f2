/** Labels that every object of the platform carries, in the vocabulary that Kubernetes recommends. */
export type Labels = Readonly<Record<string, string>>;

/** Prefix of our own labels and annotations. */
export const LABEL_PREFIX = "inference-stacks.io";

/** Annotation keys, in one place because policies and reports read what components write. */
export const ANNOTATIONS = {
  /** Why an object is there, for people: one of Kubernetes' well-known annotations. */
  description: "kubernetes.io/description",
  /** The connections that a NetworkPolicy lets through, a line for each reason. */
  connections: `${LABEL_PREFIX}/connections`,
  /** GiB that the plan expects on the tightest GPU. */
  memoryTotalGiB: `${LABEL_PREFIX}/memory-total-gib`,
  /** GiB that it may be there: the largest need in the estimate's interval. */
  memoryMostGiB: `${LABEL_PREFIX}/memory-most-gib`,
  /** GiB that the engine may use there. */
  memoryLimitGiB: `${LABEL_PREFIX}/memory-limit-gib`,
  /** Part of a GPU that a pod gets by intent, as people call it: without it, policies take the part for a slip. */
  gpuPart: `${LABEL_PREFIX}/gpu-part`,
  /** Hash of the configuration a pod was started with: a change rolls the pods. */
  configHash: `${LABEL_PREFIX}/config-hash`,
  /** Of a route: who asks callers for credentials, where the gateway does not. */
  callers: `${LABEL_PREFIX}/callers`,
  /** How the last trial of a node on its RDMA network ended, as JSON (docs/fabric-gate.md). */
  fabricTrial: `${LABEL_PREFIX}/fabric-trial`,
  /** Version of a Secret that a pod was started with: another value rolls the pods, though no value shows. */
  secretVersion: `${LABEL_PREFIX}/secret-version`,
} as const;

/** Value of `ANNOTATIONS.callers`: the service behind the route does. */
export const CHECKED_BY_SERVICE = "checked-by-service";

/** Label that names the model a namespace or pod belongs to. */
export const MODEL_LABEL = `${LABEL_PREFIX}/model`;

/** Label of pods that are of several kinds in one model: what a pod is there. Rules read that of a Ray cluster's `head`. */
export const ROLE_LABEL = `${LABEL_PREFIX}/role`;

/**
 * On a model's namespace, its server and its pods, where these are on the network of their nodes: what allows that asks for the label. Its
 * value is the model's name.
 */
export const HOST_NETWORK_LABEL = `${LABEL_PREFIX}/host-network`;

/** Labels that select the pods of one workload. Immutable once created: keep them few. */
export function selectorLabels(name: string, instance: string): Labels {
  return { "app.kubernetes.io/name": name, "app.kubernetes.io/instance": instance };
}

/** Selector labels plus what describes the object. */
export function standardLabels(name: string, instance: string, extra: Labels = {}): Labels {
  return {
    ...selectorLabels(name, instance),
    "app.kubernetes.io/part-of": "inference-stacks",
    "app.kubernetes.io/managed-by": "pulumi",
    ...extra,
  };
}

/** Labels that Kubernetes, the platform, or a part of it selects by or acts upon: by their prefix, or without one. */
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

/** Whether a label has a meaning already, so that nobody may set it on everything. */
export function isTakenLabel(key: string): boolean {
  const [prefix = "", name] = key.split("/");
  return name === undefined
    ? TAKEN.names.includes(key)
    : TAKEN.prefixes.some((taken) => prefix === taken || prefix.endsWith(`.${taken}`));
}
