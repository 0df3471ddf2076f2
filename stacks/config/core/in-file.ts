/** Maps merged models back to the places of the file. */
import type { ModelConfig } from "./canary";
import type { Path, ProblemDraft } from "./problems";

/** A canary's own keys. */
const OWN_KEYS: ReadonlySet<unknown> = new Set([
  "source",
  "quantization",
  "engineVersion",
  "image",
  "replicas",
  "weight",
]);

/**
 * File path of a model's path: canaries have only their own keys there, server groups may have
 * replicas.
 */
export function pathInFile(path: Path, models: Readonly<Record<string, ModelConfig>>): Path {
  const [section, name, key, ...rest] = path;
  const model =
    section === "models" && typeof name === "string" && Object.hasOwn(models, name) ? models[name] : undefined;
  const { revisionOf: revision, replicasOf: group } = model ?? {};
  if (revision === undefined) {
    if (key === "config" && model?.hub !== undefined) {
      return [...path.slice(0, 2), "model", ...rest];
    }
    return group !== undefined && key === "replicas" ? ["nodes", group, key, ...rest] : path;
  }
  const own = ["models", revision.model, "canary"];
  if (key === undefined) {
    return own;
  }
  return OWN_KEYS.has(key) ? [...own, key, ...rest] : ["models", revision.model, key, ...rest];
}

/** For texts: `models.chat-canary.source` is `models.chat.canary.source` in the file. */
export function textInFile(text: string, models: Readonly<Record<string, ModelConfig>>): string {
  return text.replace(/\bmodels\.([a-z0-9-]+)(?:\.(\w+))?/g, (_, name: string, key?: string) =>
    pathInFile(["models", name, ...(key === undefined ? [] : [key])], models).join("."),
  );
}

/** At file paths, without duplicates: inherited values of a canary at the model. */
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
