import { findModel, type ModelEntry } from "../../catalog/models";
import { parseSource } from "../../engines/sources";
import type { EnvironmentConfig } from "../../stacks/config";
import { modelSource } from "../../stacks/model-source";

/** A Hugging Face source of an environment. */
export interface Source {
  readonly model: string;
  /** Of the model's adapters, whose source it is. @default the model's own */
  readonly adapter?: string;
  /** Where the file has it, below the models. */
  readonly place: readonly string[];
  /** Key there that names it. */
  readonly key: "source" | "model";
  readonly repository: string;
  readonly revision: string;
  /** Its description is kept: the file names the repository as the model. @default it is not */
  readonly describes?: true;
  /** Model of the catalogue whose repository it is, and by whose config.json the plan counts. */
  readonly entry?: ModelEntry;
}

/** Of models, canaries and adapters, in the order of the file. */
export function sourcesOf(models: EnvironmentConfig["models"]): Source[] {
  return Object.entries(models).flatMap(([model, config]) => {
    const { revisionOf, adapters = {}, hub } = config;
    const source = modelSource(model, config);
    // A canary without a source of its own has its model's, which is written there; adapters are its model's.
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
