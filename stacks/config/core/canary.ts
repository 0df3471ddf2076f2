/** `models.<name>.canary`: a second revision of a model. It is read as one more model, so that nothing needs a case for it. */
import type { z } from "zod";
import { engineOf } from "../../../engines";
import { commitOf, parseSource } from "../../../engines/sources";
import type { Revision } from "../../../planner/types";
import type { Path, ProblemDraft } from "./problems";
import type { placedModelSchema } from "./sections/models";

/** A model as the file has it. */
export type WrittenModel = z.output<typeof placedModelSchema>;

/** A model as everything behind the file sees it: one that the file names, or the canary of one. */
export type ModelConfig = WrittenModel & { readonly revisionOf?: Revision };

/** Key of a model's canary among the models: its namespace, its path at the gateway and its objects have this name. */
export function canaryName(model: string): string {
  return `${model}-canary`;
}

/** The models with each canary behind its model. A model that the file names itself stays what it is. */
export function withCanaries(models: Readonly<Record<string, WrittenModel>>): Record<string, ModelConfig> {
  return Object.fromEntries(
    Object.entries(models).flatMap(([name, model]): [string, ModelConfig][] => {
      const canary = canaryOf(name, model);
      return canary === undefined || Object.hasOwn(models, canaryName(name))
        ? [[name, model]]
        : [
            [name, model],
            [canaryName(name), canary],
          ];
    }),
  );
}

/** What the canary does not say, it has of its model, except for the number of replicas. */
function canaryOf(name: string, model: WrittenModel): ModelConfig | undefined {
  const { canary, ...own } = model;
  if (canary === undefined) {
    return undefined;
  }
  const { weight, replicas, source, quantization, engineVersion } = canary;
  const firstRevision = own.firstRevision ?? commitOf(own.source === undefined ? undefined : parseSource(own.source));
  return {
    ...own,
    ...weightsOf(model, { source, quantization }),
    ...(engineVersion !== undefined && { engineVersion }),
    ...(firstRevision !== undefined && { firstRevision }),
    servedName: own.servedName ?? name,
    replicas,
    revisionOf: { model: name, weight },
  };
}

type Weights = Pick<WrittenModel, "source" | "quantization">;

/** In an engine's own registry a source and a quantization both name a build: one that is given replaces the other. */
function weightsOf({ engine, source, quantization }: WrittenModel, canary: Weights): Weights {
  const isOther = canary.source !== undefined || canary.quantization !== undefined;
  return isOther && engineOf(engine).weightsFrom === "registry"
    ? { source: canary.source, quantization: canary.quantization }
    : { source: canary.source ?? source, quantization: canary.quantization ?? quantization };
}

/** Keys that a canary has of its own. */
const OWN_KEYS: ReadonlySet<unknown> = new Set(["source", "quantization", "engineVersion", "replicas", "weight"]);

/** Where the file says what a path among the models means: a canary has there what only it has. */
export function pathInFile(path: Path, models: Readonly<Record<string, ModelConfig>>): Path {
  const [section, name, key, ...rest] = path;
  const revision = section === "models" && typeof name === "string" ? revisionOf(name, models) : undefined;
  if (revision === undefined) {
    return path;
  }
  const own = ["models", revision.model, "canary"];
  if (key === undefined) {
    return own;
  }
  return OWN_KEYS.has(key) ? [...own, key, ...rest] : ["models", revision.model, key, ...rest];
}

/** The same in a text: `models.chat-canary.source` is `models.chat.canary.source` in the file. */
export function textInFile(text: string, models: Readonly<Record<string, ModelConfig>>): string {
  return text.replace(/\bmodels\.([a-z0-9-]+)(?:\.(\w+))?/g, (_, name: string, key?: string) =>
    pathInFile(["models", name, ...(key === undefined ? [] : [key])], models).join("."),
  );
}

/** Problems at the places of the file. What a canary has of its model is told once, there. */
export function draftsInFile(
  drafts: readonly ProblemDraft[],
  models: Readonly<Record<string, ModelConfig>>,
): ProblemDraft[] {
  const told = new Set(drafts.map(({ path }) => JSON.stringify(path)));
  return drafts.flatMap((draft) => {
    const path = pathInFile(draft.path, models);
    return path !== draft.path && told.has(JSON.stringify(path)) ? [] : [{ ...draft, path }];
  });
}

function revisionOf(name: string, models: Readonly<Record<string, ModelConfig>>): Revision | undefined {
  return Object.hasOwn(models, name) ? models[name]?.revisionOf : undefined;
}
