/**
 * Cache by object and key, which lives as long as the object: a plan repeats computations on every
 * machine it tries.
 */
export class Kept<Owner extends object, Key, Value> {
  private readonly byOwner = new WeakMap<Owner, Map<Key, Value>>();

  /** @param key everything the value depends on, besides the owner. */
  get(owner: Owner, key: Key, compute: () => Value): Value {
    const known = this.byOwner.get(owner) ?? new Map<Key, Value>();
    this.byOwner.set(owner, known);
    const found = known.get(key);
    if (found !== undefined || known.has(key)) {
      return found as Value;
    }
    const value = compute();
    known.set(key, value);
    return value;
  }
}
