/** What may keep the requests of a session at one replica; `none`: the least busy replica answers. */
export const AFFINITIES = ["none", "header", "cookie"] as const;

export type Affinity = (typeof AFFINITIES)[number];

/** Those that keep a session. */
export type SessionKey = Exclude<Affinity, "none">;

/** Models whose sessions stay at a replica, and by what; all others are left out. */
export type Sessions = ReadonlyMap<string, SessionKey>;

/**
 * Of the models of an environment; canaries say what their models say.
 *
 * @param everywhere of models that do not say it themselves.
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
