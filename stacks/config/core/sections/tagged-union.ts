/**
 * Mappings of several kinds by one key, the tag: `cluster` by `kind`, a certificate by `kind`.
 *
 * One strict object per kind with exactly its keys; common keys are spread from one record. Errors,
 * the editors' JSON Schema and docs/configuration.md follow from it: a key of another kind names
 * its owner, and an unknown tag does not hide problems common to all kinds (../union-issues.ts).
 */
import { z } from "zod";

type Member = z.core.$ZodTypeDiscriminable;

/**
 * @param tag key that distinguishes members. A `z.literal` in each; for the default member,
 * `z.literal(name).default(name)`.
 * @param members strict objects, each with a `description` of its kind for the page of keys.
 * @param notTaken unsupported values that people know, and what to do instead.
 */
export function taggedUnion<const Tag extends string, const Members extends readonly [Member, ...Member[]]>(
  tag: Tag,
  members: Members,
  notTaken: Readonly<Record<string, string>> = {},
) {
  // Tries every member where the tag names none: all their issues are known then.
  return z
    .discriminatedUnion(tag, members, { unionFallback: true })
    .meta({ discriminator: { propertyName: tag, notTaken } satisfies Discriminator });
}

/** OpenAPI's name: https://spec.openapis.org/oas/v3.1.0#discriminator-object. */
export interface Discriminator {
  readonly propertyName: string;
  /** Own extension: see taggedUnion. */
  readonly notTaken?: Readonly<Record<string, string>>;
}
