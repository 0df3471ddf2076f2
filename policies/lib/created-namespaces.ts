import { HELM_RELEASE } from "../../kubernetes/resource-types";
import type { Field } from "./field";
import type { Resource } from "./resource";

/** Name of the namespace that a resource is, or that Helm creates for it; undefined for any other resource. */
export function createdNamespace(resource: Resource): Field | undefined {
  if (resource.kind === "Namespace") {
    return resource.props.get("metadata", "name");
  }
  return isCreatedByHelm(resource) ? resource.props.get("namespace") : undefined;
}

/** Whether Helm creates the namespace of a release, where there is none: without labels. */
export function isCreatedByHelm({ type, props }: Resource): boolean {
  return type === HELM_RELEASE && props.get("createNamespace").is((value) => value === true);
}
