/** Vision transformers with the projector into the text model (`projectors.ts`). */
import type { VisionTower } from "../architecture";
import type { ConfigSource } from "../config-source";
import { ownValue } from "../own-value";
import { audioTensors } from "./audio";
import { otherTowers } from "./other-towers";
import {
  downsamplingProjector,
  gemma4Projector,
  llama4Adapter,
  patchMerger,
  pixtralProjector,
  singleProjector,
  stackedLayers,
  stackedPatchMergers,
  type TowerDimensions,
  twoLayerProjector,
  twoStepProjector,
  unshufflingProjector,
  wholePatchMerger,
} from "./projectors";
import { type TowerTensor, towerTensor as tensor } from "./tower-tensor";

interface TowerTraits {
  /** Three feed-forward matrices. */
  readonly gated?: boolean;
  readonly withoutBias?: boolean;
  /** RMS norms have no bias vector. */
  readonly rmsNorm?: boolean;
  readonly withoutPositions?: boolean;
  /** Position tables, one per axis. @default 1 */
  readonly positionAxes?: number;
  /** Of hidden size per layer. @default 2 */
  readonly layerNorms?: number;
  /** Norms of queries and keys. */
  readonly headNorms?: boolean;
  readonly withoutPatchBias?: boolean;
  /** Of hidden size, outside layers. */
  readonly outerNorms?: number;
  readonly projector: (dimensions: TowerDimensions, source: ConfigSource, root: ConfigSource) => readonly TowerTensor[];
}

const towers: Readonly<Record<string, TowerTraits>> = {
  gemma4: {
    gated: true,
    withoutBias: true,
    rmsNorm: true,
    withoutPatchBias: true,
    layerNorms: 4,
    headNorms: true,
    positionAxes: 2,
    projector: gemma4Projector,
  },
  gemma3: { outerNorms: 1, projector: singleProjector },
  lfm2_vl: { outerNorms: 1, projector: unshufflingProjector },
  qwen2_vl: { withoutPositions: true, withoutPatchBias: true, projector: patchMerger },
  qwen2_5_vl: { gated: true, rmsNorm: true, withoutPositions: true, withoutPatchBias: true, projector: patchMerger },
  qwen3_vl: { projector: stackedPatchMergers },
  qwen3_vl_moe: { projector: stackedPatchMergers },
  qwen3_5: { projector: stackedPatchMergers },
  qwen3_5_moe: { projector: stackedPatchMergers },
  mistral3: {
    gated: true,
    withoutBias: true,
    rmsNorm: true,
    withoutPositions: true,
    withoutPatchBias: true,
    outerNorms: 1,
    projector: pixtralProjector,
  },
  llama4: { withoutPatchBias: true, outerNorms: 2, projector: llama4Adapter },
  kimi_k25: { outerNorms: 1, projector: wholePatchMerger },
  kimi_vl: { outerNorms: 1, projector: wholePatchMerger },
  minimax_m3_vl: { withoutPositions: true, withoutPatchBias: true, outerNorms: 1, projector: twoStepProjector },
  step3p7: { withoutPatchBias: true, outerNorms: 1, projector: downsamplingProjector },
};

/** LLaVA-like and unlisted models: a two-layer projector. */
const commonTower: TowerTraits = { outerNorms: 1, projector: twoLayerProjector };

/** Classes that load only the text model, whatever tower the config has: a text-only finetune. */
const TEXT_ONLY_CLASS = /ForCausalLM$/;

/** Unsupported towers: refused, because a silent wrong number is worse. */
const UNREAD_TOWERS = new Set(["inkling_mm_model"]);

/** Families whose tower has no tensor-parallel layers in vLLM: whole on every GPU. */
const REPLICATED_TOWERS = new Set(["gemma4"]);

/**
 * Families whose tower vLLM can keep whole on every GPU (0.19.1 and 0.33.0:
 * supports_encoder_tp_data in model_executor/models).
 */
const DATA_PARALLEL_TOWERS = new Set([
  "dots_ocr",
  "glm4v",
  "glm4v_moe",
  "glm_ocr",
  "internvl_chat",
  "kimi_k25",
  "kimi_vl",
  "llama4",
  "minicpmv",
  "qwen2_vl",
  "qwen2_5_vl",
  "qwen3_5",
  "qwen3_5_moe",
  "qwen3_vl",
  "qwen3_vl_moe",
  "step3_vl",
]);

/** Families that vLLM has twice: whole towers for Mistral's files, split for transformers'. */
const MISTRAL_TOWERS = new Set(["mistral3", "pixtral"]);

/**
 * Undefined without a `vision_config`, and where `architectures` names the text class of a family
 * with both (vLLM 0.33 registry.py: Qwen3_5ForCausalLM and Qwen3_5ForConditionalGeneration).
 * @param rootType `model_type` of the whole (multimodal) model
 */
export function readVision(root: ConfigSource, rootType: string, textHidden: number): VisionTower | undefined {
  const source = root.section("vision_config");
  if (source === undefined) {
    return undefined;
  }
  if (UNREAD_TOWERS.has(rootType)) {
    root.problem("vision_config", "this tower cannot be counted yet; leave it out to plan the text model");
    return undefined;
  }
  if (source.has("global_attn_indexes")) {
    source.problem("global_attn_indexes", "is of a tower with relative positions and a neck (SAM), which is not read");
    return undefined;
  }
  const other = ownValue(otherTowers, rootType);
  if (other !== undefined) {
    if (isTextOnly(root)) {
      return undefined;
    }
    const tensors = [...other(source, textHidden), ...audioTensors(root, textHidden)];
    return { layers: 0, hiddenSize: textHidden, tensors, replicated: false, stackedLayers: 0 };
  }
  const known = ownValue(towers, rootType);
  if (known !== undefined && isTextOnly(root)) {
    return undefined;
  }
  const traits = known ?? commonTower;
  const layers = source.count(["depth", "num_hidden_layers", "vt_num_hidden_layers", "layers"]);
  // Qwen2-VL: hidden_size is the output width, embed_dim the tower's
  const hidden = source.size(["embed_dim", "hidden_size", "vt_hidden_size", "width"]);
  const dimensions: TowerDimensions = { hidden, textHidden, merge: readMerge(source, root) };
  return {
    layers,
    hiddenSize: hidden,
    tensors: [
      ...patchTensors(source, hidden, traits),
      ...layerTensors(source, layers, hidden, traits),
      ...traits.projector(dimensions, source, root),
      ...audioTensors(root, textHidden),
    ],
    dataParallel: DATA_PARALLEL_TOWERS.has(rootType),
    replicated: REPLICATED_TOWERS.has(rootType) || (MISTRAL_TOWERS.has(rootType) && !isSavedAgain(root)),
    stackedLayers: stackedLayers(source),
  };
}

function isTextOnly(root: ConfigSource): boolean {
  const classes = root.has("architectures") ? root.textList("architectures") : [];
  return classes.length > 0 && classes.every((name) => TEXT_ONLY_CLASS.test(name));
}

/**
 * vLLM prefers Mistral's own files (params.json, consolidated*.safetensors) where present
 * (transformers_utils/config.py, is_mistral_model_repo). config.json does not show them, but
 * quantizing tools save with transformers, which drops those files; Mistral itself publishes 16-bit
 * and "fp8" weights.
 */
function isSavedAgain(root: ConfigSource): boolean {
  const method = root.section("quantization_config")?.text("quant_method", "");
  return method !== undefined && method !== "fp8";
}

function patchTensors(source: ConfigSource, hidden: number, traits: TowerTraits): readonly TowerTensor[] {
  const patch = source.count("patch_size", 14);
  const channels = source.count(["num_channels", "in_chans", "in_channels"], 3);
  const pixels = channels * patch * patch * source.count("temporal_patch_size", 1);
  return [
    tensor("patch_embedding", hidden, pixels, 1, "none"),
    ...(traits.withoutPatchBias ? [] : [tensor("patch_embedding.bias", hidden, 1, 1, "none")]),
    ...(traits.withoutPositions
      ? []
      : [tensor("position_embedding", (traits.positionAxes ?? 1) * readPositions(source, patch), hidden, 1, "none")]),
    tensor("outer_norms", hidden * (traits.outerNorms ?? 0) * (traits.rmsNorm ? 1 : 2), 1, 1, "none"),
  ];
}

function layerTensors(
  source: ConfigSource,
  layers: number,
  hidden: number,
  traits: TowerTraits,
): readonly TowerTensor[] {
  const stated = source.firstKey("intermediate_size", "vt_intermediate_size");
  const width = stated === undefined ? Math.round(hidden * source.factor("mlp_ratio", 4)) : source.size(stated);
  const upMatrices = traits.gated ? 2 : 1;
  const biases = traits.withoutBias
    ? []
    : [tensor("biases", 4 * hidden + upMatrices * width + hidden, 1, layers, "none")];
  return [
    tensor("attention.qkv", 3 * hidden, hidden, layers, "outputs"),
    tensor("attention.out", hidden, hidden, layers, "inputs"),
    tensor("feed_forward.up", upMatrices * width, hidden, layers, "outputs"),
    tensor("feed_forward.down", hidden, width, layers, "inputs"),
    tensor("norms", (traits.layerNorms ?? 2) * hidden * (traits.rmsNorm ? 1 : 2), 1, layers, "none"),
    ...(traits.headNorms ? [tensor("head_norms", 2 * source.size("head_dim"), 1, layers, "none")] : []),
    ...biases,
  ];
}

function readPositions(source: ConfigSource, patch: number): number {
  const stated = source.optionalSize([
    "num_position_embeddings",
    "num_positions",
    "num_patches",
    "position_embedding_size",
  ]);
  if (stated !== undefined) {
    return stated;
  }
  if (source.has("init_pos_emb_height")) {
    return source.count("init_pos_emb_height") * source.count("init_pos_emb_width");
  }
  const side = Math.floor(source.size("image_size", 224) / patch);
  return Math.max(1, side * side);
}

function readMerge(source: ConfigSource, root: ConfigSource): number {
  const [kernel] = source.integerList("merge_kernel_size");
  if (kernel !== undefined && kernel > 0) {
    return kernel;
  }
  return source.has("spatial_merge_size")
    ? source.count("spatial_merge_size")
    : root.count(["spatial_merge_size", "downsample_factor"], 2);
}
