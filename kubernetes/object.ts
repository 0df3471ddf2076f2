/** Kubernetes API object. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    /** Undefined for cluster-scoped objects. */
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly managedFields?: unknown;
  };
  readonly [field: string]: unknown;
}

/** `<Kind> <namespace>/<name>`, for messages. */
export function describeObject({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

/** API group of an `apiVersion`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

/** Groups without a CRD. */
const BUILT_IN = ["", "apps", "autoscaling", "batch", "policy"];
const BUILT_IN_SUFFIXED = ["networking", "scheduling", "rbac.authorization", "storage", "admissionregistration"];

/** Whether every API server has a group. */
export function isBuiltIn(group: string): boolean {
  return BUILT_IN.includes(group) || BUILT_IN_SUFFIXED.some((name) => group === `${name}.k8s.io`);
}
