import { patchIn } from "./documents";
import { type Field, isObject } from "./field";

/** A property anywhere inside of a field. */
export interface Property {
  readonly key: string;
  /** The names of the objects that it stands in, outermost first, and its own. */
  readonly keys: readonly string[];
  readonly field: Field;
  /** The object that holds it. */
  readonly holder: Field;
}

/** Every property inside of a field, outermost first; of a JSON patch what it writes. */
export function propertiesBelow(holder: Field, above: readonly string[] = []): Property[] {
  if (Array.isArray(holder.value)) {
    return holder.items().flatMap((item) => propertiesBelow(item, above));
  }
  const patch = patchIn(holder.value);
  if (patch !== undefined) {
    return propertiesBelow(holder.containing(patch), above);
  }
  return holder.entries().flatMap(([key, field]) => {
    const keys = [...above, key];
    return [
      { key, keys, field, holder },
      ...(isObject(field.value) || Array.isArray(field.value) ? propertiesBelow(field, keys) : []),
    ];
  });
}
