import { type Field, isObject } from "./field";
import { HELM_CHART, type Resource } from "./resource";

/** A property inside the values of a Helm release. */
export interface HelmValue {
  readonly key: string;
  /** The names of the objects that it stands in, outermost first, and its own. */
  readonly keys: readonly string[];
  readonly field: Field;
  /** The object that holds it. */
  readonly holder: Field;
}

/** Every property inside the values of a Helm release; outermost first. */
export function helmValues(resource: Resource): HelmValue[] {
  return HELM_CHART.test(resource.type) ? properties(resource.props.get("values"), []) : [];
}

function properties(holder: Field, above: readonly string[]): HelmValue[] {
  if (Array.isArray(holder.value)) {
    return holder.items().flatMap((item) => properties(item, above));
  }
  return holder.entries().flatMap(([key, field]) => {
    const keys = [...above, key];
    return [
      { key, keys, field, holder },
      ...(isObject(field.value) || Array.isArray(field.value) ? properties(field, keys) : []),
    ];
  });
}
