/** Image encoders other than vision transformers. */
import type { ConfigSource } from "../config-source";
import { ownValue } from "../own-value";
import { type TowerTensor, towerTensor as tensor } from "./tower-tensor";

/** By `model_type` of the whole model; `source` is its `vision_config`. */
export const otherTowers: Readonly<
  Record<string, (source: ConfigSource, textHidden: number) => readonly TowerTensor[]>
> = {
  gemma3n: convolutionTower,
  gemma4_unified: patchEmbedder,
};

/**
 * Gemma 4 Unified: patches of raw pixels, one matrix and a position table per axis. Sources:
 * transformers 5.19, modeling_gemma4_unified.py; vLLM 0.33, gemma4_unified.py.
 */
function patchEmbedder(source: ConfigSource, textHidden: number): readonly TowerTensor[] {
  const side = source.count("patch_size", 16) * source.count("pooling_kernel_size", 3);
  const pixels = 3 * side * side;
  const width = source.size("mm_embed_dim", 3840);
  return [
    tensor("patch_embedding", width, pixels, 1, "outputs"),
    tensor("patch_embedding.bias", width, 1, 1, "outputs"),
    tensor("position_embedding", 2 * source.size("mm_posemb_size", 1120), width, 1, "none"),
    // of pixels, of patches, and of patches at their positions
    tensor("norms", 2 * (pixels + 2 * width), 1, 1, "none"),
    tensor("projector", textHidden, width, 1, "none"),
  ];
}

/** timm networks (1.0.31, counted as built by transformers 5.19). */
const NETWORK_PARAMETERS: Readonly<Record<string, number>> = { mobilenetv5_300m_enc: 294_126_912 };

/**
 * Gemma 3n: a convolutional network named by the config, and an embedder with its own table.
 * Sources: transformers 5.19, modeling_gemma3n.py; vLLM 0.33, gemma3n_mm.py (transformers' own
 * network: whole).
 */
function convolutionTower(source: ConfigSource, textHidden: number): readonly TowerTensor[] {
  const name = source.text("architecture", "mobilenetv5_300m_enc");
  const parameters = ownValue(NETWORK_PARAMETERS, name);
  if (parameters === undefined) {
    source.problem("architecture", `unknown network; known: ${Object.keys(NETWORK_PARAMETERS).join(", ")}`);
    return [];
  }
  return [tensor("network", parameters, 1, 1, "none"), ...softTokenEmbedder("vision", source, textHidden)];
}

/** Gemma 3n: a table of special tokens, two norms and a projection, for images and audio. */
export function softTokenEmbedder(
  kind: "vision" | "audio",
  source: ConfigSource,
  textHidden: number,
): readonly TowerTensor[] {
  const hidden = source.size("hidden_size", kind === "vision" ? 2048 : 1536);
  return [
    tensor(`${kind}.embedding`, source.size("vocab_size", 128), hidden, 1, "outputs"),
    tensor(`${kind}.embedding_norms`, 2 * hidden, 1, 1, "none"),
    tensor(`${kind}.projector`, textHidden, hidden, 1, "inputs"),
  ];
}
