import { mayUse, type Tenant } from "./tenants";

export interface PrefixCaches {
  /** Cache parts: one per consumer or sharing group, at least 2. */
  readonly parts: number;
  /** Consumers sharing a part, by name; each in at most one group. */
  readonly shared: readonly (readonly string[])[];
}

/** As written in an environment; a list of names is one group. */
export type Sharers = readonly string[] | readonly (readonly string[])[];

export function groupsOf(share: Sharers = []): readonly (readonly string[])[] {
  return isOneGroup(share) ? [share] : share;
}

/** The empty list is no group. */
export function isOneGroup(share: Sharers): share is readonly string[] {
  return share.length > 0 && share.every((item) => typeof item === "string");
}

/**
 * @param model its key in the environment.
 * @param share groups of consumers that may share.
 * @returns undefined where all who may call the model share one part.
 */
export function prefixCaches(
  model: string,
  tenants: readonly Tenant[],
  share: readonly (readonly string[])[],
): PrefixCaches | undefined {
  const callers = tenants.filter((tenant) => mayUse(tenant, model)).map(({ name }) => name);
  const shared = share
    .map((group) => group.filter((name) => callers.includes(name)))
    .filter((group) => group.length > 1);
  const parts = callers.length - shared.flat().length + shared.length;
  return parts > 1 ? { parts, shared } : undefined;
}
