import { keyOf, type ModelDraft } from "./draft";
import type { Path } from "./path";

/** The server's default name: the platform's, then that of the weights. */
export function serveAs({ settings, places }: ModelDraft, name: string | undefined, at: Path): void {
  if (name !== undefined && settings.servedName === undefined) {
    settings.servedName = name;
    places.set("servedName", at);
  }
}

/** Ollama's tag, unless it starts with a host. */
export function serveTag(model: ModelDraft, tag: string, at: Path): void {
  if (tag.split("/").length <= 2) {
    serveAs(model, tag, at);
  } else {
    model.ledger.changed(
      at,
      `clients ask for it by the name of its entry under models in place of ${tag}: names of Ollama have no host here`,
      "models.*.servedName",
    );
  }
}

export const ADAPTER_SOURCES = "adapters come from hf://org/name or from s3://bucket/prefix of the model store";

/**
 * @param asked name that the original's clients use.
 * @param name
 * @default that name
 */
export function addAdapter(model: ModelDraft, asked: string, source: string, at: Path, name = asked): void {
  const { adapters, ledger } = model;
  const key = keyOf(name);
  if (Object.hasOwn(adapters, key)) {
    ledger.lost(at, `another adapter of this model has the name ${key}: give one of them another name`);
    return;
  }
  adapters[key] = source;
  if (key === asked) {
    ledger.mapped(at, "models.*.adapters");
  } else {
    ledger.changed(
      at,
      `clients ask for ${key} in place of ${asked}: adapters' names are lower-case letters, digits and dashes`,
      "models.*.adapters",
    );
  }
}

/** The first model keeps a shared name. */
export function shareOutNames(models: readonly ModelDraft[]): void {
  const taken = new Set<unknown>();
  for (const { settings, places, ledger, at } of models) {
    const { servedName } = settings;
    if (servedName !== undefined && taken.has(servedName)) {
      delete settings.servedName;
      ledger.changed(
        places.get("servedName") ?? at,
        `another model answers to ${String(servedName)}: clients ask for this one by the name of its entry under models`,
        "models.*.servedName",
      );
    }
    taken.add(servedName);
  }
}
