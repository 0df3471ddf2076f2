import type { Labels } from "../../names/labels";
import type { CustomResourceArgs, Manifest } from "./custom-resource";

/** Membership in a service mesh, which its own module installs. */
export interface MeshMembership {
  /** Labels that add a namespace's pods; empty if outside the mesh. */
  labelsOf(namespace: string): Labels;
  /**
   * Custom resources that guard a namespace, without the namespace field: authorizations and
   * encryption.
   */
  guardsOf(namespace: string): readonly Omit<CustomResourceArgs<Manifest>, "namespace">[];
  /** Resources that start mesh pods in a namespace, after its guards. */
  proxiesOf(namespace: string): readonly Omit<CustomResourceArgs<Manifest>, "namespace">[];
}
