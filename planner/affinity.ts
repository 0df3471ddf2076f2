/** What keeps a session at one replica; `none`: the least busy replica answers. */
export const AFFINITIES = ["none", "header", "cookie"] as const;

export type Affinity = (typeof AFFINITIES)[number];

export type SessionKey = Exclude<Affinity, "none">;

/** Models with session affinity only. */
export type Sessions = ReadonlyMap<string, SessionKey>;

/**
 * Canaries follow their models.
 *
 * @param everywhere default for models without a setting.
 */
export function sessionsOf(
  everywhere: Affinity,
  models: Readonly<Record<string, { readonly affinity?: Affinity | undefined }>>,
): Sessions {
  return new Map(
    Object.entries(models).flatMap(([name, { affinity = everywhere }]): [string, SessionKey][] =>
      affinity === "none" ? [] : [[name, affinity]],
    ),
  );
}
