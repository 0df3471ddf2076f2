/** Models that need Python code of their repository in vLLM. */
import { runsRepositoryCode } from "../repository-code";
import type { ServedModel } from "../served-model";
import type { SettingsOutcome } from "../settings";
import { commitOf } from "../sources";
import table from "./remote-code.json";

export interface RemoteCodeRow {
  /** `model_type` values of config.json; of the text model if nested. */
  readonly families: readonly string[];
  readonly why: string;
  /** Applies to every release; otherwise only to the table's. */
  readonly everyVersion?: true;
  readonly source: string;
}

// Checked by test/engines/vllm/remote-code.test.ts.
export const remoteCodeRows = table.families as readonly RemoteCodeRow[];
export const remoteCodeVersion = table.version;

/** Problems of a model without the required flag. Its engine version is vLLM's. */
export function remoteCodeProblems(model: ServedModel): SettingsOutcome["problems"] {
  const { name, architecture, source, engineVersion } = model;
  const row = remoteCodeRows.find(
    ({ families, everyVersion = false }) =>
      families.includes(architecture.family) && (everyVersion || engineVersion === remoteCodeVersion),
  );
  if (row === undefined || runsRepositoryCode(model)) {
    return [];
  }
  const repository = source.kind === "huggingface" ? source.repository : "<organization>/<name>";
  const pinned =
    commitOf(source) === undefined ? ` and source: hf://${repository}@<commit>, which npm run pin writes` : "";
  return [
    {
      rule: "remote-code",
      message: `models.${name}: vLLM does not serve the family ${architecture.family} as it was published without args: {trust-remote-code: true}: ${row.why}. To fix it: read the repository's code, then add args: {trust-remote-code: true}${pinned}.`,
    },
  ];
}
