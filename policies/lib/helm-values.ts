import type { Field } from "./field";
import { type Property, propertiesBelow } from "./properties";
import { HELM_CHART, type Resource } from "./resource";

/** Outermost first. */
export function helmValues(resource: Resource): readonly Property[] {
  return propertiesBelow(chartValues(resource));
}

/** Empty for other resources. */
export function chartValues({ type, props }: Pick<Resource, "type" | "props">): Field {
  return HELM_CHART.test(type) ? props.get("values") : props.containing(undefined);
}
