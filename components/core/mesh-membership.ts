import type { Labels } from "../../names/labels";
import type { CustomResourceArgs, Manifest } from "./custom-resource";

/** What a service mesh is to a namespace of the platform: the mesh's own module makes it, and namespaces take part. */
export interface MeshMembership {
  /** Labels by which the pods of a namespace join; none where it stays outside. */
  labelsOf(namespace: string): Labels;
  /** What guards a namespace in the mesh, as custom resources without their namespace: who may connect, and that all of it is encrypted. */
  guardsOf(namespace: string): readonly Omit<CustomResourceArgs<Manifest>, "namespace">[];
  /** What starts pods of the mesh in a namespace: after all that guards it. */
  proxiesOf(namespace: string): readonly Omit<CustomResourceArgs<Manifest>, "namespace">[];
}
