/** What applies a resource to the cluster. */
export type Owner = "up" | "folder";

/** Component of the platform: objects outside belong to the cluster. */
const PLATFORM = "inference:platform:Platform";

/**
 * Components that `up` creates completely: Argo CD, resources with deployment-generated ids, and
 * management agents bound to cluster-admin, a binding that no commit may create.
 */
const COMPONENTS_OF_UP: ReadonlySet<string> = new Set([
  "inference:argo-cd:ArgoCd",
  "inference:autoscaling:Karpenter",
  "inference:gateway:AwsLoadBalancerController",
  "inference:portainer:PortainerAgent",
  "inference:rancher:RancherAgent",
]);

/**
 * Types that `up` always creates: prerequisites of Argo CD's pods, secret values, namespaces with
 * their isolating policies, so that no namespace is ever open, and permissions in the whole cluster.
 */
const TYPES_OF_UP: ReadonlySet<string> = new Set([
  "kubernetes:core/v1:Namespace",
  "kubernetes:core/v1:Secret",
  "kubernetes:networking.k8s.io/v1:NetworkPolicy",
  "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
  "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding",
  "kubernetes:scheduling.k8s.io/v1:PriorityClass",
  "kubernetes:storage.k8s.io/v1:StorageClass",
]);

/** Fields that determine the owner, from a recording, state or registration. */
export interface OwnedResource {
  /** Includes parent types: `urn:pulumi:<stack>::<project>::<types joined by $>::<name>`. */
  readonly urn: string;
}

/**
 * Owner of a resource with `gitops`: `up`, or the rendered folder that Argo CD applies. Single
 * definition for rendering, program and state moves. Without `gitops`, `up` owns everything.
 */
export function ownerOf({ urn }: OwnedResource): Owner {
  return ownerOfTypes((urn.split("::")[2] ?? "").split("$"));
}

/** @param types of the parent components, outermost first, then its own. */
export function ownerOfTypes(types: readonly string[]): Owner {
  const own = types.at(-1) ?? "";
  const isFolders =
    own.startsWith("kubernetes:") &&
    types.includes(PLATFORM) &&
    !TYPES_OF_UP.has(own) &&
    !types.some((type) => COMPONENTS_OF_UP.has(type));
  return isFolders ? "folder" : "up";
}
