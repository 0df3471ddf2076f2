/** Where the file says what everything behind it reads of a model: models are put together from several places of it. */
import type { ModelConfig } from "./canary";
import type { Path, ProblemDraft } from "./problems";

/** Keys that a canary has of its own. */
const OWN_KEYS: ReadonlySet<unknown> = new Set([
  "source",
  "quantization",
  "engineVersion",
  "image",
  "replicas",
  "weight",
]);

/** Where the file says what a path among the models means: a canary has there what only it has, a server group may have replicas. */
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

/** The same in a text: `models.chat-canary.source` is `models.chat.canary.source` in the file. */
export function textInFile(text: string, models: Readonly<Record<string, ModelConfig>>): string {
  return text.replace(/\bmodels\.([a-z0-9-]+)(?:\.(\w+))?/g, (_, name: string, key?: string) =>
    pathInFile(["models", name, ...(key === undefined ? [] : [key])], models).join("."),
  );
}

/** Problems at the places of the file, each told once: what a canary has of its model, at the model. */
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
