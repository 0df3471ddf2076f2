/** From a Hugging Face config.json to a ModelArchitecture; the only entry of outside model data. */
import { type FamilyDefaults, familyDefaults } from "../../catalog/model-defaults";
import { nearest } from "../../catalog/nearest";
import { unservedByConfig } from "../../catalog/unserved-models";
import type { Dtype, LayerSpec, ModelArchitecture } from "./architecture";
import type { Checkpoint } from "./checkpoint/checkpoint";
import { layoutOf } from "./checkpoint/layout";
import { storedFamilyReader } from "./checkpoint/stored-family";
import { commonDtype } from "./checkpoint/stored-values";
import { checkedByFiles, countedFromFiles } from "./checkpoint/with-checkpoint";
import {
  type ConfigProblem,
  ConfigSource,
  type Findings,
  isPlainObject,
  type PlainObject,
  shortValue,
} from "./config-source";
import { ModelConfigError } from "./errors";
import { DIMENSION_KEYS, type TextModel } from "./families/family";
import { familyReader, knownFamilies } from "./families/registry";
import { readVision } from "./families/vision";
import { unquantized, type WeightFormat } from "./quantization";
import { readDtype, readModelOptFile, readQuantizationConfig, withExpertDtype } from "./quantization-config";

export { ModelConfigError };

export interface ReadModelOptions {
  readonly name?: string;
  /** Content of hf_quant_config.json (the format of ModelOpt checkpoints). */
  readonly quantization?: unknown;
  /** Weight files; required for model types without a reader. */
  readonly checkpoint?: Checkpoint;
}

/** A few kilobytes; the largest known (full ignore lists) stay below one megabyte. */
const MAX_TEXT_CHARACTERS = 8_000_000;

const TEXT_SECTIONS = ["text_config", "llm_config", "language_config"] as const;

/**
 * Accepts the Infinity and NaN of some originals.
 * @throws ModelConfigError with the position of a syntax error, or every problem of the content
 */
export function parseModelConfigText(text: string, options: ReadModelOptions = {}): ModelArchitecture {
  return readModelConfig(parseConfigJson(text, options.name), options);
}

/**
 * JSON.parse, plus Infinity and NaN (read as null).
 * @throws ModelConfigError with the position of a syntax error
 */
export function parseConfigJson(text: string, name?: string): unknown {
  if (text.length > MAX_TEXT_CHARACTERS) {
    throw new ModelConfigError(
      [
        {
          path: "(file)",
          value: `${text.length} characters`,
          message: `must have at most ${MAX_TEXT_CHARACTERS} characters`,
        },
      ],
      name,
    );
  }
  const strict = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (token) =>
    token.startsWith('"') ? token : "null",
  );
  try {
    const parsed: unknown = JSON.parse(strict);
    return parsed;
  } catch (error) {
    // JSON.parse's message may quote the file, which may be any file named by mistake.
    const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    const where = position === undefined ? "" : `; it breaks off or goes wrong at character ${position}`;
    throw new ModelConfigError(
      [{ path: "(file)", value: `${text.length} characters of text`, message: `is no JSON${where}` }],
      name,
    );
  }
}

/** @throws ModelConfigError with every problem found */
export function readModelConfig(json: unknown, options: ReadModelOptions = {}): ModelArchitecture {
  const problems: ConfigProblem[] = [];
  const fail = (): never => {
    throw new ModelConfigError(problems, options.name);
  };
  if (!isPlainObject(json)) {
    problems.push({
      path: "(file)",
      value: shortValue(json),
      message: "must be a JSON object, the config.json of a model",
    });
    return fail();
  }
  const unserved = unservedByConfig(json);
  if (unserved !== undefined) {
    const { kind, why, fix } = unserved;
    const path = json.model_type === undefined ? "(file)" : "model_type";
    const value = shortValue(json.model_type ?? json._class_name);
    problems.push({ path, value, message: `is of ${kind}, which is not served: ${why}`, fix });
    return fail();
  }
  const findings: Findings = { problems, assumed: [] };
  const { root, rootType, text, family, known } = openConfig(json, findings);
  const { checkpoint } = options;
  const layout = known === undefined && checkpoint !== undefined ? layoutOf(checkpoint.tensors) : undefined;
  const reader = layout === undefined ? known : storedFamilyReader(layout);
  if (reader === undefined) {
    problems.push({
      path: "model_type",
      value: family === "" ? "nothing" : shortValue(family),
      message: unknownFamily(family),
      fix: "name config.json in a folder with its weight files, which are then counted; or write engine: external for a server that has the model",
    });
    return fail();
  }
  const model = reader.read(text);
  const hiddenSize = text.size(DIMENSION_KEYS.hidden, model.embeddingShape?.[1]);
  const architecture = assemble({ root, text, rootType, family, model, hiddenSize, options, findings });
  if (problems.length > 0) {
    return fail();
  }
  if (checkpoint === undefined) {
    return architecture;
  }
  return layout === undefined
    ? checkedByFiles(architecture, checkpoint)
    : countedFromFiles(architecture, checkpoint, layout);
}

/** Whether a reader knows the model type, so that config.json suffices. */
export function hasReader(json: unknown): boolean {
  if (!isPlainObject(json)) {
    return false;
  }
  return openConfig(json, { problems: [], assumed: [] }).known !== undefined;
}

/** Levels of model and text model, and the family's reader. */
function openConfig(json: PlainObject, findings: Findings) {
  const file = new ConfigSource(json, "", findings);
  const rootType = file.text("model_type", "");
  const defaults = familyDefaults(rootType);
  const root = file.withDefaults(defaults);
  const { text, family } = textModel(root, rootType, defaults);
  return { root, rootType, text, family, known: familyReader(family) ?? familyReader(rootType) };
}

function unknownFamily(family: string): string {
  const known = knownFamilies();
  const hint = family === "" ? undefined : nearest(family, known);
  const near = hint === undefined ? "" : `, the nearest is ${hint}`;
  return `unknown model family; ${known.length} are known${near}`;
}

interface TextSource {
  readonly text: ConfigSource;
  readonly family: string;
}

/** In its own section, or on the top level (all text models, and Qwen2-VL). */
function textModel(root: ConfigSource, rootType: string, defaults: FamilyDefaults | undefined): TextSource {
  for (const key of TEXT_SECTIONS) {
    const section = root.section(key);
    if (section?.firstKey(...DIMENSION_KEYS.hidden) === undefined) {
      continue;
    }
    return { text: section, family: section.text("model_type", defaults?.sections[key]?.family ?? rootType) };
  }
  const missing = TEXT_SECTIONS.find((key) => defaults?.sections[key] !== undefined);
  const ofText = missing && familyDefaults(defaults?.sections[missing]?.family ?? "");
  if (missing === undefined || ofText === undefined || defaults === undefined) {
    return { text: root, family: rootType };
  }
  if (!DIMENSION_KEYS.hidden.some((key) => root.states(key))) {
    root.problem(missing, "is missing; expected an object, the settings of the text model");
  }
  return { text: root.withDefaults(joined(defaults, ofText)), family: rootType };
}

/** Defaults where text model settings are on the top level. */
function joined(whole: FamilyDefaults, text: FamilyDefaults): FamilyDefaults {
  return {
    family: text.family,
    values: { ...whole.values, ...text.values },
    spellings: { ...whole.spellings, ...text.spellings },
    sections: whole.sections,
  };
}

interface Parts {
  readonly root: ConfigSource;
  readonly text: ConfigSource;
  readonly rootType: string;
  readonly family: string;
  readonly model: TextModel;
  readonly hiddenSize: number;
  readonly options: ReadModelOptions;
  readonly findings: Findings;
}

function assemble({ root, text, rootType, family, model, hiddenSize, options, findings }: Parts): ModelArchitecture {
  const stored = options.checkpoint && commonDtype(options.checkpoint.tensors);
  const checkpointDtype = readDtype(text) ?? readDtype(root) ?? stored ?? defaultDtype(model);
  const attention = firstAttention(model.layerSpecs);
  return {
    name: options.name,
    family,
    ...classNames(root),
    kind: model.kind,
    layers: model.layerSpecs.length,
    layerSpecs: model.layerSpecs,
    hiddenSize,
    vocabSize: text.size(["vocab_size", "padded_vocab_size"], model.embeddingShape?.[0]),
    tieEmbeddings: model.headless ? true : readTieEmbeddings(root, text, model.tieEmbeddingsByDefault),
    headBias: model.headBias ?? false,
    finalNormVectors: model.finalNormVectors,
    finalNormBias: model.finalNormBias,
    outerTensors: model.outerTensors ?? [],
    ...attention,
    experts: firstExperts(model.layerSpecs),
    maxContextTokens: model.rope.maxContextTokens,
    scaledContextTokens: model.rope.scaledContextTokens,
    rotaryTables: model.rope.tables,
    checkpointDtype,
    quantization: readFormat(root, text, checkpointDtype, options.quantization, findings.problems),
    vision: model.embeddingShape ? undefined : readVision(root, rootType, hiddenSize),
    multiTokenPrediction: model.multiTokenPrediction,
    wholeEmbedding: model.wholeEmbedding ?? false,
    singleStage: model.singleStage ?? false,
    recurrentStateDtype: model.recurrentStateDtype,
    ...(model.cacheDoubt !== undefined && { cacheDoubt: model.cacheDoubt }),
    assumed: findings.assumed,
  };
}

function classNames(root: ConfigSource): Pick<ModelArchitecture, "classes"> {
  const classes = root.states("architectures") ? root.textList("architectures") : [];
  return classes.length === 0 ? {} : { classes };
}

/** Without a dtype key decoders (gpt-oss, MiniMax) are bfloat16, encoders float32. */
function defaultDtype(model: TextModel): Dtype {
  return model.kind === "encoder" ? "float32" : "bfloat16";
}

function readTieEmbeddings(root: ConfigSource, text: ConfigSource, fallback: boolean): boolean {
  const key = "tie_word_embeddings";
  const holder = [text, root].find((source) => source.states(key)) ?? [text, root].find((source) => source.has(key));
  return (holder ?? text).flag(key, fallback);
}

function readFormat(
  root: ConfigSource,
  text: ConfigSource,
  dtype: Dtype,
  modelOptFile: unknown,
  problems: ConfigProblem[],
): WeightFormat {
  const section =
    root.section("quantization_config") ?? text.section("quantization_config") ?? root.section("compression_config");
  if (section !== undefined) {
    return withExpertDtype(readQuantizationConfig(section, dtype), text);
  }
  const fromFile = modelOptFile === undefined ? undefined : readModelOptFile(modelOptFile, dtype, problems);
  return fromFile ?? unquantized(dtype);
}

function firstAttention(layers: readonly LayerSpec[]): Pick<ModelArchitecture, "heads" | "kvHeads" | "headDim"> {
  for (const { mixer } of layers) {
    if (mixer.kind === "attention") {
      return { heads: mixer.heads, kvHeads: mixer.kvHeads, headDim: mixer.headDim };
    }
    if (mixer.kind === "compressed") {
      return { heads: mixer.heads, kvHeads: 1, headDim: mixer.headDim };
    }
    if (mixer.kind === "latent") {
      const { heads, kvLoraRank, nopeHeadDim, ropeHeadDim } = mixer;
      return mixer.caches === "heads"
        ? { heads, kvHeads: heads, headDim: nopeHeadDim + ropeHeadDim }
        : { heads, kvHeads: 1, headDim: kvLoraRank + ropeHeadDim };
    }
  }
  return { heads: 0, kvHeads: 0, headDim: 0 };
}

function firstExperts(layers: readonly LayerSpec[]): ModelArchitecture["experts"] {
  for (const { feedForward } of layers) {
    if (feedForward.kind === "experts") {
      return feedForward;
    }
  }
  return undefined;
}
