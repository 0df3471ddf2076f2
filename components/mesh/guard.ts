import type { CustomResourceArgs, Manifest } from "../core/custom-resource";

/** Custom resource that guards a mesh namespace, without the namespace field. */
export type Guard = Omit<CustomResourceArgs<Manifest>, "namespace">;

/** A guard typed by its CRD: `guard<IPeerAuthentication>({…})`. */
export function guard<M extends Manifest>(args: Omit<CustomResourceArgs<M>, "namespace">): Guard {
  return args;
}
