import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { repositoryRoot } from "../names/repository-root";
import { ownRows } from "./chosen-rows";
import table from "./models.json";

/** One build of a model in the registry of an engine that has its own. */
export interface ModelBuild {
  /** Name and tag there, e.g. "llama3.2:3b". */
  readonly tag: string;
  /** GGUF file type, e.g. "Q4_K_M". */
  readonly quantization: string;
  /** Bytes on disk. */
  readonly fileBytes: number;
  readonly source: string;
}

/** A model that can be named in a configuration. */
export interface ModelEntry {
  readonly name: string;
  /** Hugging Face repository. */
  readonly repository: string;
  readonly license: string;
  /** Whether the repository asks for accepted terms, hence for a token. */
  readonly gated: boolean;
  /** "completion": a base model without a chat template. */
  readonly task: "chat" | "completion" | "embedding" | "rerank";
  /** Absolute path of config.json. A hf_quant_config.json lies next to it where the repository has one. */
  readonly configPath: string;
  /** By engine of the registry; the first is the default. */
  readonly builds?: Readonly<Record<string, readonly ModelBuild[]>>;
  /** Where config.json was copied from; starts with "built" where it was put together. */
  readonly source: string;
  readonly asOf: string;
  readonly notes?: string;
}

// Checked against catalog/schema by test/catalog. Here configPath starts at the repository root.
const rows: readonly ModelEntry[] = [...(table.models as readonly ModelEntry[]), ...ownRows("models")];

/** The model of that catalogue name or Hugging Face repository, upper and lower case alike. */
export function findModel(name: string): ModelEntry | undefined {
  const wanted = name.toLowerCase();
  const row = rows.find((model) => model.name === wanted || model.repository.toLowerCase() === wanted);
  return row && { ...row, configPath: resolve(repositoryRoot(), row.configPath) };
}

/** Catalogue name of the model whose build an engine's registry has under a tag: `qwen3:8b`. */
export function modelOfTag(tag: string): string | undefined {
  return rows.find(({ builds = {} }) => Object.values(builds).some((list) => list.some((build) => build.tag === tag)))
    ?.name;
}

/** Catalogue names, sorted. */
export function modelNames(): readonly string[] {
  return rows.map((model) => model.name);
}

/** Text of the model's config.json. It may hold NaN or Infinity, which JSON.parse refuses. */
export function readModelConfigFile(entry: ModelEntry): string {
  return readFileSync(entry.configPath, "utf8");
}
