/**
 * Mappings of several kinds, told apart by one key, the tag: `cluster` by `kind`, a certificate by `kind`.
 *
 * One strict object per kind, with all that it takes and nothing else; what every kind takes is spread into each of
 * them from one record. Errors, the JSON Schema for editors and docs/configuration.md follow from that alone: a key of
 * another kind says whose it is, and an unknown tag does not hide what is wrong whichever kind was meant
 * (../union-issues.ts).
 */
import { z } from "zod";

type Member = z.core.$ZodTypeDiscriminable;

/**
 * @param tag key that tells the members apart. In each member a `z.literal`; in the one that is meant where the tag is
 *   left out, `z.literal(name).default(name)`.
 * @param members strict objects, each with a `description` of its kind: the page of keys lists them at the tag.
 * @param notTaken values of the tag that people know and write, and what to do instead.
 */
export function taggedUnion<const Tag extends string, const Members extends readonly [Member, ...Member[]]>(
  tag: Tag,
  members: Members,
  notTaken: Readonly<Record<string, string>> = {},
) {
  // The fallback tries every member where the tag names none: the issues of each are what is known then.
  return z
    .discriminatedUnion(tag, members, { unionFallback: true })
    .meta({ discriminator: { propertyName: tag, notTaken } satisfies Discriminator });
}

/** OpenAPI's name for it: https://spec.openapis.org/oas/v3.1.0#discriminator-object. */
export interface Discriminator {
  readonly propertyName: string;
  /** An extension of ours: see taggedUnion. */
  readonly notTaken?: Readonly<Record<string, string>>;
}
