import { findModel, type ModelEntry } from "../../catalog/models";
import { artifactText, COMMIT, parseSource, sourceText } from "../../engines/sources";
import type { ArtifactSource } from "../../planner/types";
import type { EnvironmentConfig } from "../../stacks/config";
import { modelSource } from "../../stacks/model-source";

/** A source of an environment that has revisions. */
export interface Source {
  readonly model: string;
  /** Adapter that it is the source of. @default the model's own */
  readonly adapter?: string;
  /** Path in the file, below the models. */
  readonly place: readonly string[];
  readonly key: "source" | "model";
  /** `organization/name`, or `registry.example.com/team/name`. */
  readonly repository: string;
  /** Commit, branch or tag; of an artifact its digest, or its tag. */
  readonly revision: string;
  /** It is in a registry. @default on the hub */
  readonly artifact?: ArtifactSource;
  /** Its description is kept: the file names the repository as the model. @default it is not */
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
      ...(source.kind === "artifact" && !isInherited ? [artifactSource(model, place, source)] : []),
      ...(revisionOf ? [] : Object.entries(adapters)).flatMap(([adapter, { source: text }]): Source[] => {
        const own = parseSource(text);
        return own?.kind === "huggingface"
          ? [{ model, adapter, place: [model, "adapters", adapter], key: "source", ...own }]
          : [];
      }),
    ];
  });
}

function artifactSource(model: string, place: readonly string[], artifact: ArtifactSource): Source {
  const { registry, repository, tag = "", digest = tag } = artifact;
  return { model, place, key: "source", repository: `${registry}/${repository}`, revision: digest, artifact };
}

/** Whether it names the same bytes for ever. */
export function isFixed({ artifact, revision }: Source): boolean {
  return artifact ? artifact.digest !== undefined : COMMIT.test(revision);
}

/** As it is written, at a commit or digest. */
export function fixedText({ artifact, repository }: Source, revision: string): string {
  return artifact
    ? artifactText({ ...artifact, digest: revision })
    : sourceText("huggingface", `${repository}@${revision}`);
}

function catalogueModel(name: string | undefined, repository: string): Pick<Source, "entry"> {
  const entry = name === undefined ? undefined : findModel(name);
  return entry?.repository === repository ? { entry } : {};
}
