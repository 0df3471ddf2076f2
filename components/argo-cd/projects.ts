import { ARGO_CD_CHARTS_NAMESPACE } from "../../names/namespaces";
import { IN_CLUSTER } from "./names";

/** A kind of object, as AppProjects name it. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** What charts may create beside objects in namespaces: no nodes, volumes or namespaces. */
const KINDS_OF_CHARTS: readonly GroupKind[] = [
  { group: "admissionregistration.k8s.io", kind: "MutatingWebhookConfiguration" },
  { group: "admissionregistration.k8s.io", kind: "ValidatingAdmissionPolicy" },
  { group: "admissionregistration.k8s.io", kind: "ValidatingAdmissionPolicyBinding" },
  { group: "admissionregistration.k8s.io", kind: "ValidatingWebhookConfiguration" },
  { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" },
  { group: "apiregistration.k8s.io", kind: "APIService" },
  { group: "rbac.authorization.k8s.io", kind: "ClusterRole" },
  { group: "rbac.authorization.k8s.io", kind: "ClusterRoleBinding" },
];

/** Charts put Services for its metrics and leases here. */
const SYSTEM_NAMESPACE = "kube-system";

/** Kind of the charts' Applications. */
const APPLICATION: GroupKind = { group: "argoproj.io", kind: "Application" };

/** Spec of the AppProject of an environment's charts: their repositories, namespaces, and few kinds beyond them. */
export function chartProject(environment: string, repositories: readonly string[], namespaces: readonly string[]) {
  return {
    description: `Charts of the inference platform ${environment}`,
    sourceRepos: unique(repositories),
    destinations: destinations([...namespaces, SYSTEM_NAMESPACE]),
    clusterResourceWhitelist: [...KINDS_OF_CHARTS],
  };
}

/** What a rendered folder holds, as far as its AppProject allows no more. */
export interface FolderExtent {
  readonly namespaces: readonly string[];
  readonly clusterKinds: readonly GroupKind[];
  readonly namespacedKinds: readonly GroupKind[];
  readonly hasCharts: boolean;
}

/** Spec of the AppProject of a rendered folder: this repository, its namespaces, and the kinds that it has. */
export function folderProject(environment: string, repository: string, extent: FolderExtent) {
  const { namespaces, clusterKinds, namespacedKinds, hasCharts } = extent;
  return {
    description: `The rendered folder of the inference platform ${environment}`,
    sourceRepos: [repository],
    destinations: destinations([...namespaces, ARGO_CD_CHARTS_NAMESPACE]),
    clusterResourceWhitelist: uniqueKinds(clusterKinds),
    namespaceResourceWhitelist: uniqueKinds([...namespacedKinds, ...(hasCharts ? [APPLICATION] : [])]),
  };
}

function destinations(namespaces: readonly string[]) {
  return unique(namespaces).map((namespace) => ({ server: IN_CLUSTER, namespace }));
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

function uniqueKinds(kinds: readonly GroupKind[]): GroupKind[] {
  const byName = new Map(kinds.map(({ group, kind }) => [`${group}/${kind}`, { group, kind }]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}
