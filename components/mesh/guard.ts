import type { CustomResourceArgs, Manifest } from "../core/custom-resource";

/** A custom resource that guards a namespace in the mesh, without that namespace. */
export type Guard = Omit<CustomResourceArgs<Manifest>, "namespace">;

/** A guard, its spec checked against the type of its CRD: `guard<IPeerAuthentication>({…})`. */
export function guard<M extends Manifest>(args: Omit<CustomResourceArgs<M>, "namespace">): Guard {
  return args;
}
