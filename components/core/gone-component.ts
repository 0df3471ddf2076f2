import * as pulumi from "@pulumi/pulumi";

/** Options of what was a component once, with the parents that it had besides the one of today. */
export type OptionsOfGone = Omit<pulumi.CustomResourceOptions, "aliases"> & {
  readonly aliases?: readonly FormerParent[];
};

/** Alias of a resource that hung on another parent. */
export interface FormerParent {
  readonly parent: pulumi.Resource | pulumi.Input<pulumi.URN>;
}

/**
 * Aliases of what hung on a component of 0.1.0 that has gone, for a component costs two writes of the state and a line in
 * every list: without them the engine would make its children anew.
 *
 * @param token `<module>:<Noun>` of the component that has gone.
 * @param name its logical name.
 * @param opts what it would be made with.
 */
export function childrenOfGone(token: string, name: string, { parent, aliases = [] }: OptionsOfGone): FormerParent[] {
  const parents = [parent, ...aliases.map((former) => former.parent)];
  return parents.map((above) => ({ parent: pulumi.createUrn(name, `inference:${token}`, above) }));
}
