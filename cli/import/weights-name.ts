/** Which weights a name of another format means. */
import { findModel, type ModelEntry, modelNames, modelOfTag } from "../../catalog/models";
import type { Plain } from "./draft";
import known from "./known-weights.json";

/** Repository on the Hugging Face Hub. */
const REPOSITORY = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** Folders that hold models, and are no organisation of the Hub. */
const FOLDERS =
  /^(models?|hub|data|mnt|app|workspace|weights|checkpoints?|cache|llms?|opt|srv|root|home|ssd|nvme|nfs|storage|share(d)?|volumes?|outputs?)$/i;

/** The weights that a name means. */
export interface Weights {
  /** Catalogue entry. Undefined: the catalogue lacks it. */
  readonly entry?: ModelEntry;
  /** Repository with the weights, where it is another one than the entry's. */
  readonly repository?: string;
  /** Ollama tag. */
  readonly tag?: string;
  /** `s3://bucket/prefix` of the model store. */
  readonly stored?: string;
}

/**
 * @param name a repository, with or without `hf://` and revision, a path that ends in one, or a bucket's name.
 * @returns undefined where the name says nothing about weights.
 */
export function weightsNamed(name: string): Weights | undefined {
  const bare = name
    .replace(/^(hf:\/\/|https:\/\/huggingface\.co\/)/, "")
    // A folder of the Hub's own cache.
    .replace(/(?:models--)?([\w.]+(?:-[\w.]+)*)--([\w.-]+)$/, "$1/$2")
    .replace(/\/+$/, "");
  const direct = ofRepository(bare.replace(/[@:][\w.-]+$/, ""));
  if (direct !== undefined) {
    return direct;
  }
  const parts = bare.split("/").filter((part) => part !== "");
  const tail = parts.slice(-2).join("/");
  const isRepository = name.startsWith("hf://") || name.startsWith("https://huggingface.co/");
  if (!isRepository && parts.length > 2) {
    const below = ofRepository(tail);
    if (below?.entry !== undefined) {
      return below;
    }
  }
  const entry = entryLike(parts[parts.length - 1] ?? "");
  if (entry !== undefined) {
    return { entry };
  }
  const isFolder = FOLDERS.test(parts[parts.length - 2] ?? "");
  return !isRepository && !isFolder && parts.length > 2 && REPOSITORY.test(tail) ? { repository: tail } : undefined;
}

function ofRepository(repository: string): Weights | undefined {
  const entry = findModel(repository);
  if (entry !== undefined) {
    return { entry };
  }
  const copied = known.copies[repository.toLowerCase() as keyof typeof known.copies] as string | undefined;
  const original = copied === undefined ? undefined : findModel(copied);
  if (original !== undefined) {
    return { entry: original, repository };
  }
  return REPOSITORY.test(repository) ? { repository } : undefined;
}

/** The only catalogue entry whose repository, without punctuation, a bucket or folder is called after. */
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

/** The weights of an Ollama tag: `llama3.1`, `qwen3:8b`. */
export function weightsTagged(tag: string): Weights {
  const sized = tag.includes(":") ? tag : `${tag}:latest`;
  const name = modelOfTag(tag) ?? modelOfTag(sized) ?? modelOfTag(usualTag(tag)) ?? modelOfTag(unquantized(tag));
  const entry = name === undefined ? undefined : findModel(name);
  const repository = entry === undefined ? repositoryOfTag(tag) : undefined;
  return { ...(entry && { entry }), ...(repository !== undefined && { repository }), tag };
}

/** Repository of a tag that the catalogue has no model for. */
function repositoryOfTag(tag: string): string | undefined {
  const names: Readonly<Record<string, string>> = known.tags;
  return [tag.replace(/:latest$/, ""), unquantized(tag)].map((name) => names[name]).find((name) => name !== undefined);
}

function usualTag(tag: string): string {
  const [name = "", version = "latest"] = tag.split(":");
  return version === "latest" && Object.hasOwn(known.latestTags, name)
    ? known.latestTags[name as keyof typeof known.latestTags]
    : tag;
}

/** `llama3.1:8b-instruct-q8_0` is a build of the model of `llama3.1:8b`. */
function unquantized(tag: string): string {
  return tag.replace(/-(instruct|chat|text)?(-?(q\d\w*|fp16|bf16|f16))?$/i, "").replace(/-(instruct|chat)$/, "");
}

/** Tags of models that embed texts. */
const EMBEDDINGS = /embed|minilm|^bge/;

/** Whether plans need files of a model that only `npm run pin`, or the user, brings. */
export function isUndescribed(written: Readonly<Record<string, Plain>>): boolean {
  return written.config !== undefined || String(written.model).startsWith("hf://");
}

/** What a preset of KAITO stands for. */
export function presetRepository(preset: string): string | undefined {
  return Object.hasOwn(known.presets, preset) ? known.presets[preset as keyof typeof known.presets] : undefined;
}

/**
 * How an environment names weights. The one place that knows how a model outside the catalogue is written.
 */
export function writtenWeights(weights: Weights, revision?: string): Record<string, Plain> {
  const { entry, repository, tag, stored } = weights;
  if (stored !== undefined) {
    // The planner sizes volumes by a model: the nearest relative of what the repository holds.
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
