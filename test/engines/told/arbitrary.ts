import fc from "fast-check";

type Arbitraries = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** The same keys, each of which may be left out. */
export function optional<T extends Arbitraries>(keys: T): { [K in keyof T]: fc.Arbitrary<unknown> } {
  return Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [key, fc.option(value, { nil: undefined })]),
  ) as { [K in keyof T]: fc.Arbitrary<unknown> };
}

/** Models of the catalogue under a random load. */
export function modelsOf(names: readonly string[], more: Arbitraries = {}): fc.Arbitrary<object> {
  return fc.record({
    model: fc.constantFrom(...names),
    contextTokens: fc.integer({ min: 256, max: 8192 }),
    concurrency: fc.integer({ min: 1, max: 32 }),
    ...more,
  });
}
