import { findModel, type ModelEntry, modelNames, modelOfTag } from "../../catalog/models";
import type { Plain } from "./draft";
import known from "./known-weights.json";
import { rowOf } from "./path";

const REPOSITORY = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

export interface Weights {
  /** Undefined: not in the catalogue. */
  readonly entry?: ModelEntry;
  /** If other than the entry's. */
  readonly repository?: string;
  readonly tag?: string;
  readonly stored?: string;
  /** Written by the user: the weights are unknown. */
  readonly config?: string;
}

export function isFolder(name: string): boolean {
  return /^[./~]/.test(name) || /^[^:]+\/[^/]+\/[^/]/.test(name);
}

/**
 * @param name repository, with or without `hf://` and revision, a path that ends in one, or a
 * bucket.
 * @returns undefined if it names no weights.
 */
export function weightsNamed(name: string): Weights | undefined {
  // The Hub's cache folder.
  const [, owner, repository] = /models--([\w.]+(?:-[\w.]+)*)--([\w.-]+)/.exec(name) ?? [];
  if (owner !== undefined) {
    return ofRepository(`${owner}/${repository}`);
  }
  const bare = name.replace(/^(hf:\/\/|https:\/\/huggingface\.co\/)/, "").replace(/\/+$/, "");
  const direct = ofRepository(bare.replace(/[@:][\w.-]+$/, ""));
  if (direct !== undefined || bare !== name.replace(/\/+$/, "")) {
    return direct;
  }
  const parts = bare
    .replaceAll("--", "/")
    .split("/")
    .filter((part) => part !== "");
  // Folders and buckets hold any weights: the name only suggests a model.
  const entry = ofRepository(parts.slice(-2).join("/"))?.entry ?? entryLike(parts[parts.length - 1] ?? "");
  return entry && { entry };
}

function ofRepository(repository: string): Weights | undefined {
  const entry = findModel(repository);
  if (entry !== undefined) {
    return { entry };
  }
  const copied = rowOf<string>(known.copies, repository.toLowerCase());
  const original = copied === undefined ? undefined : findModel(copied);
  if (original !== undefined) {
    return { entry: original, repository };
  }
  return REPOSITORY.test(repository) ? { repository } : undefined;
}

/** The single entry whose repository the name resembles. */
function entryLike(name: string): ModelEntry | undefined {
  const wanted = plainLetters(name).replace(/^meta(?=llama)/, "");
  if (wanted.length < 8) {
    return undefined;
  }
  const named = modelNames().flatMap((each) => findModel(each) ?? []);
  const alike = named.filter(({ repository }) => plainLetters(repository.split("/")[1] ?? "") === wanted);
  return alike.length === 1 ? alike[0] : undefined;
}

function plainLetters(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** `llama3.1`, `qwen3:8b`. */
export function weightsTagged(tag: string): Weights {
  const sized = tag.includes(":") ? tag : `${tag}:latest`;
  const name = modelOfTag(tag) ?? modelOfTag(sized) ?? modelOfTag(usualTag(tag)) ?? modelOfTag(unquantized(tag));
  const repository = name === undefined ? repositoryOfTag(tag) : undefined;
  const entry = findModel(name ?? repository ?? "");
  return { ...(entry ? { entry } : repository !== undefined && { repository }), tag };
}

function repositoryOfTag(tag: string): string | undefined {
  return [tag.replace(/:latest$/, ""), unquantized(tag)]
    .map((name) => rowOf<string>(known.tags, name))
    .find((name) => name !== undefined);
}

function usualTag(tag: string): string {
  const [name = "", version = "latest"] = tag.split(":");
  return (version === "latest" ? rowOf<string>(known.latestTags, name) : undefined) ?? tag;
}

/** `llama3.1:8b-instruct-q8_0` is a build of `llama3.1:8b`. */
function unquantized(tag: string): string {
  return tag.replace(/-(instruct|chat|text)?(-?(q\d\w*|fp16|bf16|f16))?$/i, "").replace(/-(instruct|chat)$/, "");
}

/** Embedding models. */
const EMBEDDINGS = /embed|minilm|^bge/;

/** Whether the plan needs files from `npm run pin` or the user. */
export function isUndescribed(written: Readonly<Record<string, Plain>>): boolean {
  return written.config !== undefined || String(written.model).startsWith("hf://");
}

export function presetRepository(preset: string): string | undefined {
  return rowOf<string>(known.presets, preset);
}

/** How to write models, also outside the catalogue. */
export function writtenWeights(weights: Weights, revision?: string): Record<string, Plain> {
  const { entry, repository, tag, stored, config } = weights;
  if (config !== undefined) {
    return { config, ...(stored !== undefined && { source: stored }) };
  }
  if (stored !== undefined) {
    // Volumes are sized by the nearest relative.
    return { model: "bge-m3", source: stored };
  }
  const at = revision === undefined ? "" : `@${revision}`;
  if (tag !== undefined) {
    const described: Record<string, Plain> =
      entry !== undefined
        ? { model: entry.name }
        : repository === undefined
          ? { config: `models/ollama/${tag.replace(":", "@")}/config.json` }
          : { model: `hf://${repository}`, ...(EMBEDDINGS.test(tag) && { task: "embedding" }) };
    return { ...described, source: `ollama://${tag}` };
  }
  if (entry !== undefined) {
    const source = repository ?? (revision === undefined ? undefined : entry.repository);
    return { model: entry.name, ...(source !== undefined && { source: `hf://${source}${at}` }) };
  }
  return { model: `hf://${repository}${at}` };
}
