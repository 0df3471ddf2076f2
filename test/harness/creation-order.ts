import type { RecordedResource } from "../../offline/run";

/**
 * What the engine finishes before it begins with a resource: what it waits for, its provider and its ancestors, and all that
 * these wait for in turn. A component is registered, and its children after it, once all that its `dependsOn` names is there.
 */
export class CreationOrder {
  private readonly direct: ReadonlyMap<string, readonly string[]>;
  private readonly known = new Map<string, ReadonlySet<string>>();

  constructor(resources: readonly RecordedResource[]) {
    this.direct = new Map(
      resources.map(({ urn, waitsFor, parent, provider }) => {
        // A reference to a provider is its URN and its id.
        const above = [parent, provider?.slice(0, provider.lastIndexOf("::"))];
        return [urn, [...waitsFor, ...above.flatMap((found) => found ?? [])]];
      }),
    );
  }

  /** URNs of all that is finished before. */
  before({ urn }: Pick<RecordedResource, "urn">): ReadonlySet<string> {
    const found = this.known.get(urn) ?? this.reach(urn);
    this.known.set(urn, found);
    return found;
  }

  private reach(urn: string): ReadonlySet<string> {
    const seen = new Set<string>();
    const open = [urn];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const needed of this.direct.get(next) ?? []) {
        if (!seen.has(needed)) {
          seen.add(needed);
          open.push(needed);
        }
      }
    }
    return seen;
  }
}
