import { MODEL_LABEL } from "../../names/labels";
import { MODEL_CONTROL_NAMESPACE, MODEL_STORE_NAMESPACE, modelNamespaceName } from "../../names/namespaces";
import type { Field } from "./field";
import { namespaceOf, type Resource } from "./resource";

/** Namespaces that only resemble a model's. */
const OTHERS = [MODEL_STORE_NAMESPACE, MODEL_CONTROL_NAMESPACE];

/** By kind, label, or backend namespace. */
export function leadsToModel(route: Resource, resources: readonly Resource[]): boolean {
  const { kind, props } = route;
  if (kind === "AIGatewayRoute" || props.get("metadata", "labels", MODEL_LABEL).is((label) => label !== undefined)) {
    return true;
  }
  const backends = resources.filter((resource) => resource.kind === "Backend");
  return props
    .get("spec", "rules")
    .items()
    .flatMap((rule) => rule.get("backendRefs").items())
    .some(
      (reference) =>
        reference.get("kind").is((value) => value === "InferencePool") ||
        isModels(
          reference.get("namespace").is((name) => name === undefined) ? namespaceOf(route) : reference.get("namespace"),
        ) ||
        backends
          .filter(({ props: backend }) =>
            reference.get("name").is((name) => name === backend.get("metadata", "name").value),
          )
          .some(({ props: backend }) => backend.get("spec", "endpoints").items().some(isInModel)),
    );
}

/** `<service>.<namespace>.svc…`. */
function isInModel(endpoint: Field): boolean {
  return endpoint
    .get("fqdn", "hostname")
    .is((host) => typeof host === "string" && isModelName(/^[^.]+\.([^.]+)\.svc(\.|$)/.exec(host)?.[1]));
}

function isModels(namespace: Field): boolean {
  return namespace.is((name) => typeof name === "string" && isModelName(name));
}

function isModelName(namespace: string | undefined): boolean {
  return namespace?.startsWith(modelNamespaceName("")) === true && !OTHERS.includes(namespace);
}
