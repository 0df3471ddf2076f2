import { patchIn } from "./documents";
import { type Field, holdsUnknown, isObject } from "./field";

export interface Property {
  readonly key: string;
  /** Names of its parents, outermost first, and its own. */
  readonly keys: readonly string[];
  readonly field: Field;
  readonly holder: Field;
}

/** Cached, because policies read the same fields. */
const kept = new WeakMap<Field, readonly Property[]>();

/** Outermost first; of a JSON patch what it writes. */
export function propertiesBelow(holder: Field, above: readonly string[] = []): readonly Property[] {
  if (above.length > 0) {
    return read(holder, above);
  }
  const known = kept.get(holder);
  if (known !== undefined) {
    return known;
  }
  const found = read(holder, above);
  // Each reader of an unknown value must remember it.
  if (!holdsUnknown(holder.value)) {
    kept.set(holder, found);
  }
  return found;
}

function read(holder: Field, above: readonly string[]): Property[] {
  if (Array.isArray(holder.value)) {
    return holder.items().flatMap((item) => read(item, above));
  }
  const patch = patchIn(holder.value);
  if (patch !== undefined) {
    return read(holder.containing(patch), above);
  }
  return holder.entries().flatMap(([key, field]) => {
    const keys = [...above, key];
    return [
      { key, keys, field, holder },
      ...(isObject(field.value) || Array.isArray(field.value) ? read(field, keys) : []),
    ];
  });
}
