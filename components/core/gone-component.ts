import * as pulumi from "@pulumi/pulumi";

/** Options of a removed component, with its additional former parents. */
export type OptionsOfGone = Omit<pulumi.CustomResourceOptions, "aliases"> & {
  readonly aliases?: readonly FormerParent[];
};

export interface FormerParent {
  readonly parent: pulumi.Resource | pulumi.Input<pulumi.URN>;
}

/**
 * Aliases for children of a removed component of 0.1.0, so that the engine does not recreate them.
 *
 * @param token `<module>:<Noun>` of the removed component.
 * @param name its logical name.
 * @param opts its options.
 */
export function childrenOfGone(token: string, name: string, { parent, aliases = [] }: OptionsOfGone): FormerParent[] {
  const parents = [parent, ...aliases.map((former) => former.parent)];
  return parents.map((above) => ({ parent: pulumi.createUrn(name, `inference:${token}`, above) }));
}
