/** `{a: {b: 1}}` of `a.b`. */
export function nested(values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of values) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    const owner = keys.reduce<Record<string, unknown>>((map, key) => {
      map[key] ??= {};
      return map[key] as Record<string, unknown>;
    }, root);
    owner[last] = value;
  }
  return root;
}
