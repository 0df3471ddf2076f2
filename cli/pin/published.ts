/** Whether the catalogue matches a model's repository. */
import type { ModelEntry } from "../../catalog/models";
import { kvCacheBytesPerToken } from "../../planner/memory/kv-cache";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { ModelConfigError, parseModelConfigText } from "../../planner/model/config-json";
import { countParameters } from "../../planner/model/parameters";
import { readCatalogueModel } from "../../stacks/architectures";
import { RemoteFiles } from "../../stacks/checkpoint/remote";
import { publishedConfig } from "../published-config";
import { filesOf, type Hub, HubError } from "./hub";

/** Catalogue and repository values. */
export interface Difference {
  readonly what: string;
  readonly catalogue: string;
  readonly published: string;
}

/** Differences of a model, or why they are unknown. */
export type Comparison = { readonly differences: readonly Difference[] } | { readonly unknown: string };

export interface Compared {
  readonly entry: ModelEntry;
  readonly comparison: Comparison;
}

/** Values that plans depend on. */
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

/** Reads config.json, and hf_quant_config.json if present, at a commit. */
export async function comparePublished(hub: Hub, entry: ModelEntry, commit: string): Promise<Comparison> {
  const files = new RemoteFiles(filesOf(hub, entry.repository, commit));
  try {
    const config = await publishedConfig(files);
    if (config === undefined) {
      return { unknown: "it has no config.json" };
    }
    const published = parseModelConfigText(config.text, { name: entry.name, quantization: config.quantization });
    return { differences: differencesOf(readCatalogueModel(entry), published) };
  } catch (error) {
    if (error instanceof HubError || error instanceof ModelConfigError) {
      return { unknown: error.message };
    }
    throw error;
  }
}

/** A line per difference. */
export function differenceLines({ entry: { name, repository }, comparison }: Compared): string[] {
  return "unknown" in comparison
    ? [`${name}: not compared with ${repository}: ${comparison.unknown}`]
    : comparison.differences.map(
        ({ what, catalogue, published }) =>
          `${name}: ${what}: ${catalogue} in the catalogue, ${published} in ${repository}`,
      );
}

export function isDifferent({ comparison }: Compared): boolean {
  return "differences" in comparison && comparison.differences.length > 0;
}
