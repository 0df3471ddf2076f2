import { ARGO_CD_CHARTS_NAMESPACE } from "../../names/namespaces";
import { IN_CLUSTER } from "./names";

/** A kind of object, as AppProjects name it. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** An object of the whole cluster, as AppProjects name it. */
export interface ClusterObject extends GroupKind {
  readonly name: string;
}

/** No nodes, volumes or namespaces. */
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

/** Allows the charts' repositories, namespaces and few other kinds. */
export function chartProject(platform: string, repositories: readonly string[], namespaces: readonly string[]) {
  return {
    description: `Charts of the inference platform ${platform}`,
    sourceRepos: unique(repositories),
    destinations: destinations([...namespaces, SYSTEM_NAMESPACE]),
    clusterResourceWhitelist: [...KINDS_OF_CHARTS],
  };
}

/** Extent that the AppProject allows. */
export interface FolderExtent {
  readonly namespaces: readonly string[];
  readonly clusterObjects: readonly ClusterObject[];
  readonly namespacedKinds: readonly GroupKind[];
  readonly hasCharts: boolean;
}

/** Allows the folder's repository, namespaces, kinds, and cluster objects by name. */
export function folderProject(platform: string, repository: string, extent: FolderExtent) {
  const { namespaces, clusterObjects, namespacedKinds, hasCharts } = extent;
  return {
    description: `The rendered folder of the inference platform ${platform}`,
    sourceRepos: [repository],
    destinations: destinations([...namespaces, ARGO_CD_CHARTS_NAMESPACE]),
    clusterResourceWhitelist: sorted(clusterObjects),
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
  return sorted([...new Map(kinds.map(({ group, kind }) => [`${group}/${kind}`, { group, kind }])).values()]);
}

function sorted<T extends GroupKind & { readonly name?: string }>(items: readonly T[]): T[] {
  const key = ({ group, kind, name = "" }: T) => `${group}/${kind}/${name}`;
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
