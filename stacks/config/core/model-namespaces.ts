import { MODEL_STORE_NAMESPACE, modelNamespaceName } from "../../../names/namespaces";
import type { Rule } from "./rule";

/**
 * Models and platform parts cannot share a namespace.
 *
 * @param owner of the namespace, for the message.
 */
export function noModelIn(namespace: string, owner: string): Rule {
  return function* ({ declared }) {
    for (const name of declared.models) {
      if (modelNamespaceName(name) === namespace) {
        yield {
          path: ["models", name],
          value: name,
          allowed: `another name: the namespace ${namespace} is that of ${owner}`,
          fix: "rename it",
        };
      }
    }
  };
}

export const noModelInTheStore = noModelIn(MODEL_STORE_NAMESPACE, "the model store");
