import { type Field, isObject } from "./field";
import { HELM_CHART, type Resource } from "./resource";

/** Every property inside the values of a Helm release, with the object that holds it; outermost first. */
export function helmValues(
  resource: Resource,
): { readonly key: string; readonly field: Field; readonly holder: Field }[] {
  return HELM_CHART.test(resource.type) ? properties(resource.props.get("values")) : [];
}

function properties(holder: Field): { key: string; field: Field; holder: Field }[] {
  if (Array.isArray(holder.value)) {
    return holder.items().flatMap(properties);
  }
  return holder
    .entries()
    .flatMap(([key, field]) => [
      { key, field, holder },
      ...(isObject(field.value) || Array.isArray(field.value) ? properties(field) : []),
    ]);
}
