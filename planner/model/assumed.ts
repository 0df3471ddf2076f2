/** Defaults of a family's transformers class where config.json is silent, with notes. */
import { transformersVersion } from "../../catalog/model-defaults";

export interface AssumedSetting {
  /** Dotted path in the config, e.g. "text_config.head_dim". */
  readonly path: string;
  readonly key: string;
  readonly value: boolean | number | string;
  /** The `model_type` with this default. */
  readonly family: string;
}

/** One sentence per family. */
export function assumptionNotes(assumed: readonly AssumedSetting[]): readonly string[] {
  const families = [...new Set(assumed.map(({ family }) => family))];
  return families.map((family) => {
    const settings = assumed.filter((setting) => setting.family === family);
    const listed = settings.map(({ key, value }) => `${key} ${String(value)}`);
    const verb = listed.length === 1 ? "is the default" : "are the defaults";
    return `${inWords(listed)} ${verb} of ${family} in transformers ${transformersVersion}: the config leaves ${listed.length === 1 ? "it" : "them"} out`;
  });
}

function inWords(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
