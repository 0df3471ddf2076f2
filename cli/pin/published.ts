/** Whether a model of the catalogue is counted as its repository publishes it. */
import type { ModelEntry } from "../../catalog/models";
import { kvCacheBytesPerToken } from "../../planner/memory/kv-cache";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { ModelConfigError, parseConfigJson, parseModelConfigText } from "../../planner/model/config-json";
import { countParameters } from "../../planner/model/parameters";
import { readCatalogueModel } from "../../stacks/architectures";
import { RemoteFiles } from "../../stacks/checkpoint/remote";
import { filesOf, type Hub, HubError } from "./hub";

const MAX_BYTES = 5 * 1024 * 1024;

/** What the catalogue says, and what the repository does. */
export interface Difference {
  readonly what: string;
  readonly catalogue: string;
  readonly published: string;
}

/** Of one model: what differs, or why nothing is known of it. */
export type Comparison = { readonly differences: readonly Difference[] } | { readonly unknown: string };

/** What plans follow from. */
const FIGURES: Readonly<Record<string, (architecture: ModelArchitecture) => string | number>> = {
  family: ({ family }) => family,
  "context in tokens": ({ maxContextTokens }) => maxContextTokens,
  parameters: (architecture) => countParameters(architecture).total,
  layers: ({ layers }) => layers,
  "attention heads": ({ heads }) => heads,
  "KV heads": ({ kvHeads }) => kvHeads,
  "KV cache in bytes per token": (architecture) => kvCacheBytesPerToken(architecture),
  vocabulary: ({ vocabSize }) => vocabSize,
  "number type": ({ checkpointDtype }) => checkpointDtype,
  "weight format": ({ quantization }) => quantization.name,
};

export function differencesOf(catalogue: ModelArchitecture, published: ModelArchitecture): Difference[] {
  return Object.entries(FIGURES).flatMap(([what, figure]) => {
    const [ours, theirs] = [String(figure(catalogue)), String(figure(published))];
    return ours === theirs ? [] : [{ what, catalogue: ours, published: theirs }];
  });
}

/** Reads config.json, and hf_quant_config.json where there is one, at a commit. */
export async function comparePublished(hub: Hub, entry: ModelEntry, commit: string): Promise<Comparison> {
  const files = new RemoteFiles(filesOf(hub, entry.repository, commit));
  try {
    const text = await files.text("config.json", MAX_BYTES);
    if (text === undefined) {
      return { unknown: "it has no config.json" };
    }
    const quantization = await files.text("hf_quant_config.json", MAX_BYTES);
    const published = parseModelConfigText(text, {
      name: entry.name,
      quantization: quantization === undefined ? undefined : parseConfigJson(quantization, "hf_quant_config.json"),
    });
    return { differences: differencesOf(readCatalogueModel(entry), published) };
  } catch (error) {
    if (error instanceof HubError || error instanceof ModelConfigError) {
      return { unknown: error.message };
    }
    throw error;
  }
}

/** One line for each difference; none where there are none. */
export function differenceLines({ name, repository }: ModelEntry, comparison: Comparison): string[] {
  return "unknown" in comparison
    ? [`${name}: not compared with ${repository}: ${comparison.unknown}`]
    : comparison.differences.map(
        ({ what, catalogue, published }) =>
          `${name}: ${what}: ${catalogue} in the catalogue, ${published} in ${repository}`,
      );
}

export function isDifferent(comparison: Comparison): boolean {
  return "differences" in comparison && comparison.differences.length > 0;
}
