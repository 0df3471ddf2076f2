import { mayUse, type Tenant } from "./tenants";

/** Whose requests to a model may use what others' prompts left in the engine's prefix cache. */
export interface PrefixCaches {
  /** Parts that the cache falls into: one for each consumer, or group of consumers that share, at least 2. */
  readonly parts: number;
  /** Consumers that share a part, by name; each in one group at most. */
  readonly shared: readonly (readonly string[])[];
}

/** Groups as an environment writes them; a list of names is one group. */
export type Sharers = readonly string[] | readonly (readonly string[])[];

export function groupsOf(share: Sharers = []): readonly (readonly string[])[] {
  return isOneGroup(share) ? [share] : share;
}

/** Nobody's is none. */
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
