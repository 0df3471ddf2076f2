/** `source: pvc://…`: limits of mounted volumes. */
import { parseSource } from "../../../engines/sources";
import type { Rule } from "../core/rule";
import { requestedSettings } from "../engine-block";
import { OWN_WEIGHTS_PAGE } from "../own-weights-page";

export const mountedWeightsAreNotStreamed: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const { loading } = requestedSettings(model);
    if (isMounted(model) && loading === "stream") {
      yield {
        path: ["models", name, model.engine, "loading"],
        value: loading,
        allowed: "nothing: a mounted volume is read as a folder, and streams come from the model store",
        fix: `remove loading, or name a source in the model store (${OWN_WEIGHTS_PAGE})`,
      };
    }
  }
};

export const adaptersComeFromTheStore: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const adapters = Object.keys(model.adapters ?? {});
    if (isMounted(model) && adapters.length > 0) {
      yield {
        path: ["models", name, "adapters"],
        value: adapters,
        allowed: "adapters of models in the model store: pods of a model on a mounted volume have no keys to it",
        fix: `remove adapters, or name a source in the model store (${OWN_WEIGHTS_PAGE})`,
      };
    }
  }
};

function isMounted({ source }: { readonly source?: string | undefined }): boolean {
  return source !== undefined && parseSource(source)?.kind === "claim";
}
