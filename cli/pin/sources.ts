import { findModel, type ModelEntry } from "../../catalog/models";
import { parseSource } from "../../engines/sources";
import type { EnvironmentConfig } from "../../stacks/config";
import { modelSource } from "../../stacks/model-source";

/** A Hugging Face source of an environment. */
export interface Source {
  readonly model: string;
  /** Adapter that it is the source of. @default the model's own */
  readonly adapter?: string;
  /** Path in the file, below the models. */
  readonly place: readonly string[];
  readonly key: "source" | "model";
  readonly repository: string;
  readonly revision: string;
  /** The file names the repository as model, so its description is kept. @default no */
  readonly describes?: true;
  /** Catalogue model of this repository, whose config.json the plan uses. */
  readonly entry?: ModelEntry;
}

/** Models, canaries and adapters, in file order. */
export function sourcesOf(models: EnvironmentConfig["models"]): Source[] {
  return Object.entries(models).flatMap(([model, config]) => {
    const { revisionOf, adapters = {}, hub } = config;
    const source = modelSource(model, config);
    // A canary without a source has its model's, written there; adapters belong to its model.
    const isInherited = revisionOf !== undefined && config.source === models[revisionOf.model]?.source;
    const place = revisionOf ? [revisionOf.model, "canary"] : [model];
    return [
      ...(hub && !revisionOf
        ? [
            {
              model,
              place,
              key: "model" as const,
              repository: hub.repository,
              revision: hub.revision,
              describes: true as const,
            },
          ]
        : []),
      ...(source.kind === "huggingface" && !isInherited && !(hub?.isSource && !revisionOf)
        ? [{ model, place, key: "source" as const, ...source, ...catalogueModel(config.model, source.repository) }]
        : []),
      ...(revisionOf ? [] : Object.entries(adapters)).flatMap(([adapter, { source: text }]): Source[] => {
        const own = parseSource(text);
        return own?.kind === "huggingface"
          ? [{ model, adapter, place: [model, "adapters", adapter], key: "source", ...own }]
          : [];
      }),
    ];
  });
}

function catalogueModel(name: string | undefined, repository: string): Pick<Source, "entry"> {
  const entry = name === undefined ? undefined : findModel(name);
  return entry?.repository === repository ? { entry } : {};
}
