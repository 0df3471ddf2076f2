/** Who applies a resource of an environment's program in the cluster. */
export type Owner = "up" | "folder";

/** What holds the platform: objects outside of it are the cluster's part. */
const PLATFORM = "inference:platform:Platform";

/**
 * Components that `up` makes as a whole: Argo CD itself, what is set to ids that only a deployment knows, and agents of management servers,
 * which are bound to cluster-admin: no commit may make such a binding.
 */
const COMPONENTS_OF_UP: ReadonlySet<string> = new Set([
  "inference:argo-cd:ArgoCd",
  "inference:autoscaling:Karpenter",
  "inference:gateway:AwsLoadBalancerController",
  "inference:portainer:PortainerAgent",
  "inference:rancher:RancherAgent",
]);

/**
 * Kinds that `up` makes wherever they are: what Argo CD's own pods need, secret values, and namespaces with the policies that close them, so
 * that none is ever open and no commit opens one.
 */
const TYPES_OF_UP: ReadonlySet<string> = new Set([
  "kubernetes:core/v1:Namespace",
  "kubernetes:core/v1:Secret",
  "kubernetes:networking.k8s.io/v1:NetworkPolicy",
  "kubernetes:scheduling.k8s.io/v1:PriorityClass",
  "kubernetes:storage.k8s.io/v1:StorageClass",
]);

/** As much of a resource as says whose it is: of a recording, a state, or a registration. */
export interface OwnedResource {
  /** With the types of the components around it: `urn:pulumi:<stack>::<project>::<types joined by $>::<name>`. */
  readonly urn: string;
}

/**
 * With `gitops`, whether `up` owns a resource or the rendered folder, which Argo CD applies. The one definition of the cut: rendering, the
 * program and moves of a state go by it. Everything is one or the other; without `gitops`, `up` owns both.
 */
export function ownerOf({ urn }: OwnedResource): Owner {
  return ownerOfTypes((urn.split("::")[2] ?? "").split("$"));
}

/** @param types of the components around a resource, outermost first, and its own. */
export function ownerOfTypes(types: readonly string[]): Owner {
  const own = types.at(-1) ?? "";
  const isFolders =
    own.startsWith("kubernetes:") &&
    types.includes(PLATFORM) &&
    !TYPES_OF_UP.has(own) &&
    !types.some((type) => COMPONENTS_OF_UP.has(type));
  return isFolders ? "folder" : "up";
}
