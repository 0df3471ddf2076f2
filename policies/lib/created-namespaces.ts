import { HELM_RELEASE } from "../../kubernetes/resource-types";
import type { Field } from "./field";
import type { Resource } from "./resource";

/** The namespace itself, or one that Helm creates without labels; undefined for other resources. */
export function createdNamespace(resource: Resource): Field | undefined {
  if (resource.kind === "Namespace") {
    return resource.props.get("metadata", "name");
  }
  const isCreatedByHelm =
    resource.type === HELM_RELEASE && resource.props.get("createNamespace").is((value) => value === true);
  return isCreatedByHelm ? resource.props.get("namespace") : undefined;
}
