import type { ConfigSource } from "../config-source";
import { type TowerTensor, towerTensor as tensor } from "./tower-tensor";

export interface TowerDimensions {
  readonly hidden: number;
  readonly textHidden: number;
  /** Patches per token, along one side. */
  readonly merge: number;
}

/** Gemma 3: one matrix and a norm. */
export function singleProjector({ hidden, textHidden }: TowerDimensions): readonly TowerTensor[] {
  return [tensor("projector", textHidden, hidden, 1, "none"), tensor("projector.norm", hidden, 1, 1, "none")];
}

/**
 * LFM2-VL: two steps as in LLaVA, over merged patches, replicated (vLLM 0.33, lfm2_vl.py:
 * ReplicatedLinear).
 */
export function unshufflingProjector(
  { hidden, textHidden, merge }: TowerDimensions,
  _: ConfigSource,
  root: ConfigSource,
): readonly TowerTensor[] {
  const wide = hidden * merge * merge;
  const width = root.size("projector_hidden_size", 2560);
  return [
    ...(root.flag("projector_use_layernorm", true) ? [tensor("projector.norm", 2 * wide, 1, 1, "none")] : []),
    tensor("projector.1", width, wide, 1, "none"),
    tensor("projector.2", textHidden, width, 1, "none"),
    ...(root.flag("projector_bias", true) ? [tensor("projector.biases", width + textHidden, 1, 1, "none")] : []),
  ];
}

/** Gemma 4: one matrix, and optionally shift and scale of its input. */
export function gemma4Projector({ hidden, textHidden }: TowerDimensions, source: ConfigSource): readonly TowerTensor[] {
  return [
    tensor("projector", textHidden, hidden, 1, "none"),
    ...(source.flag("standardize", false) ? [tensor("standardization", 2 * hidden, 1, 1, "none")] : []),
  ];
}

export function twoLayerProjector({ hidden, textHidden }: TowerDimensions): readonly TowerTensor[] {
  return [
    tensor("projector.1", textHidden, hidden, 1, "outputs"),
    tensor("projector.2", textHidden, textHidden, 1, "inputs"),
    tensor("projector.biases", 2 * textHidden, 1, 1, "none"),
  ];
}

/** MiniMax-M3: projects each patch, then merge×merge of them. */
export function twoStepProjector(dimensions: TowerDimensions): readonly TowerTensor[] {
  const { textHidden, merge } = dimensions;
  return [
    ...twoLayerProjector(dimensions),
    tensor("merger.1", textHidden, textHidden * merge * merge, 1, "outputs"),
    tensor("merger.2", textHidden, textHidden, 1, "inputs"),
    tensor("merger.biases", 2 * textHidden, 1, 1, "none"),
  ];
}

/**
 * Step 3.7: two 3×3 convolutions that double the width, one matrix; each layer scales its two
 * blocks' output.
 */
export function downsamplingProjector(
  { hidden, textHidden }: TowerDimensions,
  source: ConfigSource,
): readonly TowerTensor[] {
  const layers = source.count(["num_hidden_layers", "layers"]);
  return [
    tensor("layer_scales", 2 * hidden, 1, layers, "none"),
    tensor("downsampler.1", 2 * hidden, hidden * 9, 1, "none"),
    tensor("downsampler.2", 4 * hidden, 2 * hidden * 9, 1, "none"),
    tensor("downsampler.biases", 6 * hidden, 1, 1, "none"),
    tensor("projector", textHidden, 4 * hidden, 1, "outputs"),
  ];
}

/** Qwen-VL: merge×merge patches are concatenated and projected in two steps. */
export function patchMerger({ hidden, textHidden, merge }: TowerDimensions): readonly TowerTensor[] {
  return [tensor("merger.norm", hidden, 1, 1, "none"), ...patchProjection(hidden * merge * merge, textHidden)];
}

function patchProjection(wide: number, output: number): readonly TowerTensor[] {
  return [
    tensor("merger.1", wide, wide, 1, "outputs"),
    tensor("merger.2", output, wide, 1, "inputs"),
    tensor("merger.biases", wide + output, 1, 1, "none"),
  ];
}

/** Kimi: replicated (kimi_vl.py, kimi_k25_vit.py: ReplicatedLinear). */
export function wholePatchMerger(dimensions: TowerDimensions): readonly TowerTensor[] {
  return patchMerger(dimensions).map((item) => ({ ...item, split: "none" }));
}

/**
 * Qwen3-VL: a final merger, which norms each patch, and one per "deepstack" layer, which norms
 * merged ones (transformers 5.19, modeling_qwen3_vl.py: use_postshuffle_norm).
 */
export function stackedPatchMergers(
  { hidden, textHidden, merge }: TowerDimensions,
  source: ConfigSource,
): readonly TowerTensor[] {
  const stacked = stackedLayers(source);
  const wide = hidden * merge * merge;
  const output = source.size("out_hidden_size", textHidden);
  return [
    tensor("merger.norms", 2 * (hidden + stacked * wide), 1, 1, "none"),
    ...patchProjection(wide, output).map((item) => ({ ...item, count: 1 + stacked })),
  ];
}

export function stackedLayers(source: ConfigSource): number {
  return source.integerList("deepstack_visual_indexes").length;
}

export function pixtralProjector({ hidden, textHidden, merge }: TowerDimensions): readonly TowerTensor[] {
  return [
    tensor("projector.norm", hidden, 1, 1, "none"),
    tensor("projector.merger", hidden, hidden * merge * merge, 1, "none"),
    tensor("projector.1", textHidden, hidden, 1, "outputs"),
    tensor("projector.2", textHidden, textHidden, 1, "inputs"),
  ];
}

export function llama4Adapter({ textHidden }: TowerDimensions, source: ConfigSource): readonly TowerTensor[] {
  const input = source.size("projector_input_dim", 4096);
  const output = source.size("projector_output_dim", 4096);
  return [
    tensor("adapter.1", input, source.size("intermediate_size"), 1, "outputs"),
    tensor("adapter.2", output, input, 1, "inputs"),
    tensor("projector", textHidden, source.size("vision_output_dim", output), 1, "none"),
  ];
}
